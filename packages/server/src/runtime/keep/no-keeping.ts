import type { Store } from "../../storage/store.ts";
import { refuse, type Refused, type Reply } from "../reply.ts";
import { withSession } from "../session-snapshot.ts";
import type { SessionKeeping } from "./session-keeping.ts";

/** Keeps nothing. */
export function noKeeping(store: Store): SessionKeeping {
  const refused = (sessionId: string): Promise<Reply<never>> =>
    withSession<never>(store, sessionId, (): Refused =>
      refuse("git_failed", "This process cannot use Git in repositories."),
    );
  return {
    state: refused,
    commit: ({ sessionId }) => refused(sessionId),
    merge: ({ sessionId }) => refused(sessionId),
    rebase: ({ sessionId }) => refused(sessionId),
    push: refused,
    openPullRequest: ({ sessionId }) => refused(sessionId),
  };
}
