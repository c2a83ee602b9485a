import type { ReactElement, ReactNode } from "react";
import { ComparisonLink } from "../../compare/comparison-link.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { WorktreeDetails } from "../../worktree/worktree-details.tsx";
import type { SessionView } from "../session-view.ts";
import { ConnectionDetails } from "./connection-details.tsx";
import { ForkLink } from "./fork-link.tsx";
import { PhaseTimeline } from "./phase-timeline.tsx";

/** Everything about a session that its header has no room for. */
export function SessionDetails({
  view: { session, repo },
  onClose,
}: {
  readonly view: SessionView;
  readonly onClose: () => void;
}): ReactElement {
  const { id, workspace, worktree, phase, phaseHistory, forkedFrom, errorCount } = session;
  const connections = Object.keys(session.mcpServers).length + session.directories.length;
  return (
    <Dialog open onClose={onClose} title="Details" isText>
      <div className="flex flex-col gap-5">
        {repo !== null && (
          <Part title="Repository">
            <p>{repo.name}</p>
            <p className="font-mono text-xs wrap-anywhere text-muted">{repo.path}</p>
          </Part>
        )}
        {(worktree !== null || workspace === "worktree") && (
          <Part title="Worktree">
            <WorktreeDetails id={id} worktree={worktree} />
          </Part>
        )}
        {forkedFrom !== null && (
          <Part title="Origin">
            <ForkLink id={forkedFrom.sessionId} />
          </Part>
        )}
        {"comparison" in session.metadata && (
          <Part title="Comparison">
            <ComparisonLink session={session} />
          </Part>
        )}
        {(phase !== "initializing" || phaseHistory.length > 0) && (
          <Part title="Phases">
            <PhaseTimeline session={session} />
          </Part>
        )}
        {connections > 0 && (
          <Part title="Connections">
            <ConnectionDetails session={session} />
          </Part>
        )}
        {errorCount > 0 && (
          <Part title={errorCount === 1 ? "1 error" : `${errorCount} errors`}>
            <p className="wrap-anywhere text-muted">{session.lastError}</p>
          </Part>
        )}
        <Part title="ID">
          <p className="font-mono text-xs wrap-anywhere text-muted">{id}</p>
        </Part>
      </div>
    </Dialog>
  );
}

function Part({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <section className="flex flex-col gap-1.5">
      <h3 className="text-xs font-semibold text-muted">{title}</h3>
      {children}
    </section>
  );
}
