import type { Session } from "@holdfast/protocol";
import { ArrowLeft, Ellipsis } from "lucide-react";
import { type ReactElement, useState } from "react";
import { capital, sessionName } from "../api/session-name.ts";
import { Link } from "../app/link.tsx";
import { PanelButton } from "../panel/panel-button.tsx";
import type { Panel } from "../panel/use-panel.ts";
import { IconButton } from "../ui/button.tsx";
import { loaded } from "../ui/loaded.tsx";
import { StateDot } from "../ui/state-dot.tsx";
import { worktreeLabel } from "../worktree/worktree-label.ts";
import type { SessionView } from "./session-view.ts";
import { TitleEditor } from "./title-editor.tsx";
import type { SessionActions } from "./use-actions.ts";

/** Loaded after the content; the fallback looks the same. */
const SessionMenu = loaded(
  () => import("./session-menu.tsx").then((m) => m.SessionMenu),
  <IconButton label="More" aria-disabled>
    <Ellipsis size={18} aria-hidden="true" />
  </IconButton>,
);
const ForkLink = loaded(() => import("./details/fork-link.tsx").then((m) => m.ForkLink));
const ComparisonLink = loaded(() =>
  import("../compare/comparison-link.tsx").then((m) => m.ComparisonLink),
);
const SessionDetails = loaded(() =>
  import("./details/session-details.tsx").then((m) => m.SessionDetails),
);

/** One line: the title, where and who works, the status, and a menu with everything else. */
export function SessionHeader({
  view,
  actions,
  worker,
  isAway,
  panel,
  onFind,
}: {
  readonly view: SessionView;
  readonly actions: SessionActions;
  /** The current or next agent. */
  readonly worker: string | null;
  /** The server does not answer, so the status may be out of date. */
  readonly isAway: boolean;
  readonly panel: Panel;
  readonly onFind: () => void;
}): ReactElement {
  const { session, repo } = view;
  const [isEditing, setEditing] = useState(false);
  const [hasDetails, setDetails] = useState(false);
  const showDetails = (): void => setDetails(true);
  return (
    <header className="flex h-12 shrink-0 items-center gap-1.5 border-b border-line px-2 sm:px-4">
      <Link
        to={{ page: "list" }}
        aria-label="All sessions"
        className="touch-target inline-flex size-8 shrink-0 items-center justify-center rounded-md hover:bg-hover md:hidden"
      >
        <ArrowLeft size={18} aria-hidden="true" />
      </Link>
      <div className="flex min-w-0 flex-1 flex-col sm:flex-row sm:items-center sm:gap-2">
        <TitleEditor
          title={session.title}
          name={sessionName(session)}
          isEditing={isEditing}
          onEditing={setEditing}
          onChange={actions.rename}
        />
        <div className="flex min-w-0 items-center gap-x-2 text-xs text-muted sm:flex-1">
          <span className="shrink-0 sm:order-last sm:ml-auto">
            {isAway ? <AwayDot /> : <StateDot session={session} />}
          </span>
          {repo !== null && (
            <>
              <span className="truncate sm:hidden">· {repo.name}</span>
              <button
                type="button"
                aria-haspopup="dialog"
                title={`${repo.path}\nDetails`}
                onClick={showDetails}
                className="touch-target hidden h-7 min-w-12 items-center truncate rounded px-1 hover:bg-hover sm:block"
              >
                {placeText(session, repo.name)}
              </button>
            </>
          )}
          {worker !== null && <span className="hidden min-w-12 truncate lg:inline">{worker}</span>}
          {isPhaseSet(session) && (
            <span className="hidden shrink-0 sm:inline">{capital(session.phase)}</span>
          )}
          {session.forkedFrom !== null && (
            <span className="hidden min-w-0 sm:inline">
              <ForkLink id={session.forkedFrom.sessionId} />
            </span>
          )}
          {"comparison" in session.metadata && (
            <span className="hidden shrink-0 sm:inline">
              <ComparisonLink session={session} />
            </span>
          )}
        </div>
      </div>
      <span className="hidden sm:contents">
        <PanelButton changes={session.changes} open={panel.tab !== null} onToggle={panel.toggle} />
      </span>
      <SessionMenu
        {...{ session, actions, onFind }}
        onPanel={panel.show}
        onRename={() => setEditing(true)}
        onDetails={showDetails}
      />
      {hasDetails && <SessionDetails view={view} onClose={() => setDetails(false)} />}
    </header>
  );
}

/** Such as `shop ⎇ fix-login`. */
function placeText(session: Session, repository: string): string {
  const branch = worktreeLabel(session);
  return branch === null ? repository : `${repository} ⎇ ${branch}`;
}

/** Sessions begin with a phase that nobody has set. */
function isPhaseSet({ phase, phaseHistory }: Session): boolean {
  return phase !== "initializing" || phaseHistory.length > 0;
}

function AwayDot(): ReactElement {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap" title="Reconnecting.">
      <span
        aria-hidden="true"
        className="size-2 shrink-0 rounded-full border-2 border-line-strong"
      />
      <span className="font-medium text-muted">Not connected</span>
    </span>
  );
}
