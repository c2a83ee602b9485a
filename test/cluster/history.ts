import type { StreamEvent } from "../../packages/client/src/index.ts";
import { calmNow } from "../../packages/server/src/domain/testing/calm-clock.ts";
import type { Role, WholeSession } from "../../packages/protocol/src/index.ts";
import type { Sighting } from "./account.ts";

/**
 * The requests and observations of all clients, and the faults of the nodes. All times come from one clock. Promised
 * times are also measured on the calm clock.
 */
export interface History {
  readonly leaseMs: number;
  readonly requests: RequestRecord[];
  readonly views: View[];
  readonly faults: Fault[];
  readonly handovers: Handover[];
}

/** A session that another node took over while a write of its owner was still in transit. */
export interface Handover {
  readonly sessionId: string;
  readonly from: string;
  /** The end of the session's log when the other node owned it. */
  readonly lastSeq: number;
}

export interface RequestRecord {
  readonly kind: "create" | "send" | "answer" | "cancel";
  readonly sessionId: string;
  /** The tag in the text of a message. */
  readonly tag: string | null;
  /** The node of the last attempt. */
  readonly node: string;
  /** Time of the first attempt, which may have succeeded: retries use the same idempotency key. */
  readonly firstAt: number;
  /** Time of the last attempt. */
  readonly sentAt: number;
  readonly endedAt: number;
  /** Duration of the last attempt on the calm clock. */
  readonly tookMs: number;
  readonly outcome:
    | { readonly ok: true; readonly messageId: string | null }
    | { readonly ok: false; readonly why: string };
}

/** Everything that one client received of one session, over all its connections. */
export interface View {
  readonly client: string;
  readonly sessionId: string;
  /** The session when the client first read it. */
  readonly first: WholeSession;
  readonly connections: Connection[];
  /** The session after all received events. */
  session: WholeSession;
}

export interface Connection {
  readonly node: string;
  readonly at: number;
  /** The `Last-Event-ID` it was opened with. */
  readonly after: number;
  readonly events: ReceivedEvent[];
}

export interface ReceivedEvent {
  readonly at: number;
  readonly event: StreamEvent;
}

export interface Fault {
  readonly kind:
    | "kill"
    | "pause"
    | "cut"
    | "blackhole"
    | "hold"
    | "refuse"
    | "delay"
    | "stop"
    | "database";
  /** Null means all nodes. */
  readonly node: string | null;
  readonly from: number;
  /** Infinity while it lasts. */
  to: number;
  /** The same times on the calm clock. */
  readonly calmFrom: number;
  calmTo: number;
}

export function createHistory(leaseMs: number): History {
  return { leaseMs, requests: [], views: [], faults: [], handovers: [] };
}

export function beginFault(
  { faults }: History,
  { kind, node }: Pick<Fault, "kind" | "node">,
): () => void {
  const now = { from: Date.now(), calmFrom: calmNow() };
  const fault: Fault = { kind, node, ...now, to: Infinity, calmTo: Infinity };
  faults.push(fault);
  return () => {
    if (fault.to !== Infinity) return;
    fault.to = Date.now();
    fault.calmTo = calmNow();
  };
}

/** The content of the database after all work is done. */
export interface Stored {
  readonly sessions: readonly StoredSession[];
}

export interface StoredSession {
  readonly id: string;
  readonly repo: string;
  /** The session as a node shows it. */
  readonly final: WholeSession;
  readonly owner: string | null;
  readonly lastSeq: number;
  readonly messages: readonly StoredMessage[];
  readonly runs: readonly StoredRun[];
  readonly log: readonly LogRow[];
  /** The difference between the replayed log and the row, or null. */
  readonly difference: string | null;
}

export interface StoredMessage {
  readonly id: string;
  readonly runId: string | null;
  readonly seq: number;
  /** Also `agent` for plans and tool calls, whose role is `system`. */
  readonly author: Role;
  readonly text: string;
  readonly complete: boolean;
}

export interface StoredRun {
  readonly id: string;
  readonly messageId: string;
  readonly status: string;
  readonly attempts: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

export interface LogRow {
  readonly seq: number;
  readonly kind: string;
  readonly messageId: string | null;
  /** The type and the run of an `event`. */
  readonly type: string | null;
  readonly runId: string | null;
}

/** Everything that the invariants check. */
export interface Evidence {
  readonly history: History;
  readonly stored: Stored;
  readonly account: readonly Sighting[];
}
