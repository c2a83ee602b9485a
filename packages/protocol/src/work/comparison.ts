import type { CreateSessionRequest } from "../requests/session-request.ts";
import type { Session } from "../session.ts";

/** The metadata of sessions that got the same message to be compared; the value is the same in all of them. */
const COMPARISON = "comparison";
const TITLE_LENGTH = 60;

/** The session of one agent in a comparison. Its message is sent afterwards, so that it can wait for a free agent. */
export function comparedSession({
  comparison,
  repoId,
  provider,
  message,
  base = null,
}: {
  readonly comparison: string;
  readonly repoId: string;
  readonly provider: string;
  readonly message: string;
  /** Where the worktrees begin; null for the current commit. */
  readonly base?: string | null;
}): CreateSessionRequest {
  const title = message.trim().split("\n", 1)[0]?.slice(0, TITLE_LENGTH) ?? "";
  return {
    repoId,
    provider,
    title: `${title} (${provider})`,
    workspace: "worktree",
    metadata: { [COMPARISON]: comparison },
    ...(base !== null && { base }),
  };
}

/** The comparison to which a session belongs; null if it belongs to none. A fork belongs to none. */
export function comparisonOf({
  metadata,
  forkedFrom,
}: Pick<Session, "metadata" | "forkedFrom">): string | null {
  const comparison = metadata[COMPARISON];
  return typeof comparison === "string" && forkedFrom === null ? comparison : null;
}
