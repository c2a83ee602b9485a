import type { Store } from "../storage/store.ts";
import type { Executed } from "./execute-command.ts";
import { noSuchSession, refuse, type Refused, type Reply } from "./reply.ts";
import { snapshotOf, type SessionSnapshot } from "./session-snapshot.ts";

/** A command that was not carried out, as whoever asked for it hears of it. */
export function toRefused(executed: Extract<Executed, { ok: false }>): Refused {
  if ("refusal" in executed) return { ok: false, refusal: executed.refusal };
  switch (executed.refused) {
    case "version_mismatch":
      return refuse("version_mismatch", "The session has changed since it was read.");
    case "agent_id_taken":
      return refuse("session_exists", "There is a session with this agent id already.");
    case "fenced":
    case "remembered":
      throw new Error(`unreachable: ${executed.refused} without a fence or key`);
    default:
      return executed.refused satisfies never;
  }
}

/** The session after a command. */
export async function replyWithSession(
  store: Store,
  { sessionId, executed }: { readonly sessionId: string; readonly executed: Executed },
): Promise<Reply<{ readonly session: SessionSnapshot }>> {
  if (!executed.ok) return toRefused(executed);
  const session = await snapshotOf(store, sessionId);
  return session === null ? noSuchSession() : { ok: true, session };
}
