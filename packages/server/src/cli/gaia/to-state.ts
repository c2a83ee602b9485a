import type { Session } from "@holdfast/protocol";
import { commonFields, fromWire } from "./state-file.ts";
import { toEntry } from "./state-history.ts";
import { toStateTime } from "./state-time.ts";

/** A session in the shape of GAIA's `state.json`, with additional fields of Holdfast. */
export function toState(session: Session) {
  const tracked = fromWire(session);
  const { createdAt, finalizedAt } = tracked;
  const { agent_id, ...fields } = commonFields(tracked);
  return {
    agent_id,
    session_id: session.id,
    ...fields,
    history: session.phaseHistory.map(({ at, durationMs, ...change }) => ({
      ...toEntry({ ...change, at: Date.parse(at) }),
      duration_seconds: durationMs === null ? null : durationMs / 1_000,
    })),
    status: session.status,
    state: session.state,
    suspended_reason: session.suspendedReason,
    remove_at: session.removeAt === null ? null : toStateTime(Date.parse(session.removeAt)),
    finalized_at: finalizedAt === null ? null : toStateTime(finalizedAt),
    duration_seconds: finalizedAt === null ? null : Math.max(0, finalizedAt - createdAt) / 1_000,
    summary: session.summary,
  };
}

/** The name of a session on the command line: its agent ID, else its own ID. */
export function nameOf({ id, agentId }: Pick<Session, "id" | "agentId">): string {
  return agentId ?? id;
}
