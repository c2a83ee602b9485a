import { ArrowLeft, Ellipsis } from "lucide-react";
import { lazy, Suspense, useState, type ReactElement } from "react";
import { sessionName } from "../api/session-name.ts";
import { ConnectionBadge } from "../app/connection-badge.tsx";
import { Link } from "../app/link.tsx";
import { IconButton } from "../ui/button.tsx";
import { StateDot } from "../ui/state-dot.tsx";
import { CancelButton } from "./cancel-button.tsx";
import { PhaseButton } from "./phase-button.tsx";
import type { SessionView } from "./session-view.ts";
import { TitleEditor } from "./title-editor.tsx";
import { UsageButton } from "./usage-button.tsx";
import type { SessionActions } from "./use-actions.ts";

/** After what is read: its button is there before, as it will be. */
const SessionMenu = lazy(() =>
  import("./session-menu.tsx").then((m) => ({ default: m.SessionMenu })),
);

export function SessionHeader({
  view,
  actions,
  worker,
  cancelling,
  onCancelling,
  onFind,
}: {
  readonly view: SessionView;
  readonly actions: SessionActions;
  /** Who works in it, or would. */
  readonly worker: string | null;
  /** Whether it is asked if the run is to be cancelled. */
  readonly cancelling: boolean;
  readonly onCancelling: (asking: boolean) => void;
  readonly onFind: () => void;
}): ReactElement {
  const { session, repo } = view;
  const [isWhole, setWhole] = useState(false);
  return (
    <header className="flex flex-col gap-0.5 border-b border-line px-3 py-1.5 sm:px-4 sm:py-2">
      <div className="flex items-center gap-1.5">
        <Link
          to={{ page: "list" }}
          aria-label="All sessions"
          className="touch-target -ml-1.5 inline-flex size-8 shrink-0 items-center justify-center rounded-md hover:bg-hover md:hidden"
        >
          <ArrowLeft size={18} aria-hidden="true" />
        </Link>
        <TitleEditor title={session.title} name={sessionName(session)} onChange={actions.rename} />
        <span className="md:hidden">
          <ConnectionBadge dotOnly />
        </span>
        <CancelButton
          running={session.state === "running"}
          busy={actions.busy === "cancel"}
          asking={cancelling}
          onAsk={onCancelling}
          onCancel={actions.cancel}
        />
        <Suspense
          fallback={
            <IconButton label="More" aria-disabled>
              <Ellipsis size={18} aria-hidden="true" />
            </IconButton>
          }
        >
          <SessionMenu session={session} actions={actions} onFind={onFind} />
        </Suspense>
      </div>
      <div className="flex flex-wrap items-center gap-x-3 text-xs text-muted">
        <StateDot status={session.status} state={session.state} />
        <PhaseButton session={session} />
        {worker !== null && <span className="wrap-anywhere">{worker}</span>}
        {repo !== null && (
          <button
            type="button"
            title={repo.path}
            aria-expanded={isWhole}
            onClick={() => setWhole(!isWhole)}
            className="touch-target inline-flex items-center rounded px-1 text-left wrap-anywhere hover:bg-hover"
          >
            {isWhole ? repo.path : repo.name}
          </button>
        )}
        <UsageButton view={view} />
        {session.forkedFrom !== null && (
          <Link
            to={{ page: "session", id: session.forkedFrom.sessionId }}
            className="touch-target inline-flex items-center text-accent underline underline-offset-2"
          >
            Fork of another session
          </Link>
        )}
        {session.errorCount > 0 && (
          <span title={session.lastError ?? undefined}>
            {session.errorCount === 1 ? "1 error" : `${session.errorCount} errors`}
          </span>
        )}
      </div>
    </header>
  );
}
