import { ArrowLeft, Ellipsis, Square } from "lucide-react";
import { type ReactElement, type ReactNode, useState } from "react";
import { capital, sessionName } from "../api/session-name.ts";
import { ConnectionBadge } from "../app/connection-badge.tsx";
import { Link } from "../app/link.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { StateDot } from "../ui/state-dot.tsx";
import { connectionsText } from "./details/connections-text.ts";
import type { SessionView } from "./session-view.ts";
import { TitleEditor } from "./title-editor.tsx";
import type { SessionActions } from "./use-actions.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { loaded } from "../ui/loaded.tsx";
import { usageOf, usageText } from "./usage.ts";
import { worktreeLabel } from "../worktree/worktree-label.ts";

/** Loaded after the content; the fallback looks the same. */
const SessionMenu = loaded(
  () => import("./session-menu.tsx").then((m) => m.SessionMenu),
  <IconButton label="More" aria-disabled>
    <Ellipsis size={18} aria-hidden="true" />
  </IconButton>,
);
const ComparisonLink = loaded(() =>
  import("../compare/comparison-link.tsx").then((m) => m.ComparisonLink),
);
const ConnectionDetails = loaded(() =>
  import("./details/connection-details.tsx").then((m) => m.ConnectionDetails),
);
const PhaseTimeline = loaded(() => import("./phase-timeline.tsx").then((m) => m.PhaseTimeline));
const WorktreeDetails = loaded(() =>
  import("../worktree/worktree-details.tsx").then((m) => m.WorktreeDetails),
);
const UsageDetails = loaded(() => import("./usage-details.tsx").then((m) => m.UsageDetails));

export function SessionHeader({
  view,
  actions,
  worker,
  cancelling,
  onCancelling,
  onFind,
  onChanges,
  changes,
}: {
  readonly view: SessionView;
  readonly actions: SessionActions;
  /** The current or next agent. */
  readonly worker: string | null;
  /** Whether the confirmation dialog is open. */
  readonly cancelling: boolean;
  readonly onCancelling: (asking: boolean) => void;
  readonly onFind: () => void;
  readonly onChanges: () => void;
  /** The button that shows what the session changed. */
  readonly changes: ReactNode;
}): ReactElement {
  const { session, repo } = view;
  const [isWhole, setWhole] = useState(false);
  const connections = connectionsText(session);
  const worktree = worktreeLabel(session);
  const usage = usageOf(view.runs.filter((run) => run.usage !== null).slice(-1));
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
        <span className="hidden sm:contents">{changes}</span>
        <CancelButton
          running={session.state === "running"}
          busy={actions.busy === "cancel"}
          asking={cancelling}
          onAsk={onCancelling}
          onCancel={actions.cancel}
        />
        <SessionMenu {...{ session, actions, onFind, onChanges }} />
      </div>
      <div className="flex flex-wrap items-center gap-x-3 text-xs text-muted">
        <StateDot session={session} />
        {/* The title needs the first line of a phone. */}
        <span className="contents sm:hidden">{changes}</span>
        <DetailsButton text={capital(session.phase)} title="Phases">
          <PhaseTimeline session={session} />
        </DetailsButton>
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
        {worktree !== null && (
          <DetailsButton text={worktree} hint="The branch of its worktree" title="Worktree">
            <WorktreeDetails id={session.id} worktree={session.worktree} />
          </DetailsButton>
        )}
        {usage !== null && (
          <DetailsButton
            text={usageText(usage)}
            hint="Usage of the last run"
            title="Usage"
            size="small"
          >
            <UsageDetails view={view} />
          </DetailsButton>
        )}
        {connections !== "" && (
          <DetailsButton text={connections} title="Connections">
            <ConnectionDetails session={session} />
          </DetailsButton>
        )}
        {"comparison" in session.metadata && <ComparisonLink session={session} />}
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

/** Enabled only while a run is active. */
function CancelButton({
  running,
  busy,
  asking,
  onAsk,
  onCancel,
}: {
  readonly running: boolean;
  readonly busy: boolean;
  readonly asking: boolean;
  readonly onAsk: (asking: boolean) => void;
  readonly onCancel: () => void;
}): ReactElement {
  return (
    <>
      <Button
        size="small"
        disabled={!running}
        busy={busy}
        title={running ? "Cancel the run (Esc)" : "Nothing is running"}
        icon={<Square size={12} aria-hidden="true" />}
        onClick={() => onAsk(true)}
      >
        {busy ? "Cancelling…" : "Cancel"}
      </Button>
      <ConfirmDialog
        open={asking && running}
        title="Cancel the run?"
        confirm="Cancel the run"
        onConfirm={() => {
          onAsk(false);
          onCancel();
        }}
        onClose={() => onAsk(false)}
      >
        The agent stops, and its work may be incomplete. Your next message continues the session.
      </ConfirmDialog>
    </>
  );
}

/** A short text; pressing it opens a dialog with the details. */
function DetailsButton({
  text,
  hint,
  title,
  size = "normal",
  children,
}: {
  readonly text: string;
  readonly hint?: string;
  readonly title: string;
  readonly size?: "small" | "normal";
  readonly children: ReactNode;
}): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        title={hint}
        onClick={() => setOpen(true)}
        className="touch-target inline-flex items-center rounded px-1 text-left tabular-nums wrap-anywhere underline decoration-line-strong/60 underline-offset-2 hover:bg-hover"
      >
        {text}
      </button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title={title} size={size} isText>
        {children}
      </Dialog>
    </>
  );
}
