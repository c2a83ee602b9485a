import type { CommandOf } from "./command.ts";
import { accept, NOTHING_TO_DO, refuse, refuseIfFinal, type Decision } from "./decision.ts";
import type { Worktree } from "../files/session-folder.ts";
import { stateOf, type Session } from "../session.ts";
import { withFiles, type SessionFiles } from "../files/working-files.ts";

export function decideRecordFiles(
  session: Session,
  { at, record }: CommandOf<"record-files">,
): Decision {
  const { files } = session;
  if (files !== null && isSame(withFiles(files, record), files)) return NOTHING_TO_DO;
  return accept({ type: "files.recorded", at, record });
}

export function decideRecordWorktree(
  session: Session,
  { at, worktree }: CommandOf<"record-worktree">,
): Decision {
  const { workspace } = session;
  if (isSame(workspace.worktree, worktree)) return NOTHING_TO_DO;
  if (workspace.kind === "shared" && worktree !== null) return NOTHING_TO_DO;
  return accept({ type: "worktree.changed", at, worktree });
}

export function decideRecordPullRequest(
  session: Session,
  { at, url }: CommandOf<"record-pull-request">,
): Decision {
  return session.workspace.pullRequest === url
    ? NOTHING_TO_DO
    : accept({ type: "pull-request.opened", at, url });
}

/** A session at work cannot be rewound. */
export function decideRewind(session: Session, command: CommandOf<"rewind">): Decision {
  const { at, rewind } = command;
  if (session.rewind?.id === rewind.id) return NOTHING_TO_DO;
  const refusal = refuseIfFinal(session);
  if (refusal !== null) return refusal;
  if (session.rewind?.status === "restoring")
    return refuse(session, "session_not_idle", "The session is just being rewound.");
  if (stateOf(session) !== "idle")
    return refuse(session, "session_not_idle", "A run is in progress.");
  const last = session.rewind;
  const canUndo = last !== null && last.status === "done" && last.undoes === null;
  if (rewind.undoes !== null && (!canUndo || last.id !== rewind.undoes))
    return refuse(
      session,
      "rewind_not_found",
      "There is no such rewind that can be undone: only the last one can, once.",
    );
  const begun = { ...rewind, status: "restoring", error: null } as const;
  return accept({ type: "session.rewound", at, rewind: begun });
}

export function decideEndRewind(
  session: Session,
  { at, id, error }: CommandOf<"end-rewind">,
): Decision {
  if (session.rewind?.id !== id || session.rewind.status !== "restoring") return NOTHING_TO_DO;
  return accept({ type: "rewind.ended", at, id, error });
}

function isSame<Value extends SessionFiles | Worktree>(
  one: Value | null,
  other: Value | null,
): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
