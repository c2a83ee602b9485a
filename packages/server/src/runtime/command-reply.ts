import type { Store } from "../storage/store.ts";
import type { Executed } from "./execute-command.ts";
import { refuse, type Refused } from "./reply.ts";
import { withSession, type SessionReply } from "./session-snapshot.ts";

/** The reply to a refused command. */
export function toRefused(executed: Extract<Executed, { ok: false }>): Refused {
  if ("refusal" in executed) return { ok: false, refusal: executed.refusal };
  switch (executed.refused) {
    case "version_mismatch":
      return refuse("version_mismatch", "The session has changed since it was read.");
    case "agent_id_taken":
      return refuse("session_exists", "A session with this agent ID already exists.");
    case "fenced":
    case "remembered":
      throw new Error(`unreachable: ${executed.refused} without a fence or key`);
    default:
      return executed.refused satisfies never;
  }
}

/** The reply to a command, with the new session. */
export async function replyWithSession(
  store: Store,
  sessionId: string,
  executed: Executed,
): Promise<SessionReply> {
  if (!executed.ok) return toRefused(executed);
  return withSession(store, sessionId, (session) => ({ session }));
}
