import type { Phase, Session } from "@holdfast/protocol";
import { ownMetadata } from "./kept-state.ts";
import { errorOf, fromWire, UNNAMED } from "./state-file.ts";
import { toStateTime } from "./state-time.ts";

/** A session in the shape of GAIA's `state.json`, with additional fields of Holdfast. */
export interface State {
  readonly agent_id: string;
  readonly session_id: string;
  readonly agent_name: string;
  readonly purpose: string;
  readonly created_at: string;
  readonly last_updated: string;
  readonly phase: Phase;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly resume_ready: boolean;
  readonly history: readonly StateChange[];
  readonly error_count: number;
  readonly last_error: { readonly message: string; readonly timestamp: string } | null;
  readonly status: Session["status"];
  readonly state: Session["state"];
  /** Why a suspended session cannot go on, and when retention removes it. */
  readonly suspended_reason: string | null;
  readonly remove_at: string | null;
  readonly finalized_at: string | null;
  readonly duration_seconds: number | null;
  readonly summary: string | null;
}

export interface StateChange {
  readonly from_phase: Phase;
  readonly to_phase: Phase;
  readonly timestamp: string;
  /** The duration of the previous phase. */
  readonly duration_seconds: number | null;
}

export function toState(session: Session): State {
  const tracked = fromWire(session);
  return {
    agent_id: nameOf(session),
    session_id: session.id,
    agent_name: session.agentName ?? UNNAMED.agent,
    purpose: session.purpose ?? UNNAMED.purpose,
    created_at: toStateTime(Date.parse(session.createdAt)),
    last_updated: toStateTime(Date.parse(session.updatedAt)),
    phase: session.phase,
    metadata: ownMetadata(tracked.metadata),
    resume_ready: session.resumeReady,
    history: historyOf(session),
    error_count: session.errorCount,
    last_error: errorOf(tracked),
    status: session.status,
    state: session.state,
    suspended_reason: session.suspendedReason,
    remove_at: session.removeAt === null ? null : toStateTime(Date.parse(session.removeAt)),
    finalized_at:
      session.finalizedAt === null ? null : toStateTime(Date.parse(session.finalizedAt)),
    duration_seconds:
      session.finalizedAt === null ? null : secondsFrom(session.createdAt, session.finalizedAt),
    summary: session.summary,
  };
}

/** The name of a session on the command line: its agent ID, else its own ID. */
export function nameOf({ id, agentId }: Pick<Session, "id" | "agentId">): string {
  return agentId ?? id;
}

function historyOf({ phaseHistory }: Session): readonly StateChange[] {
  return phaseHistory.map(({ from, to, at, durationMs }) => ({
    from_phase: from,
    to_phase: to,
    timestamp: toStateTime(Date.parse(at)),
    duration_seconds: durationMs === null ? null : durationMs / 1_000,
  }));
}

function secondsFrom(start: string, end: string): number {
  return Math.max(0, (Date.parse(end) - Date.parse(start)) / 1_000);
}
