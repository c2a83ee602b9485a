import type { StreamEvent } from "../../packages/client/src/index.ts";
import type { Role, WholeSession } from "../../packages/protocol/src/index.ts";
import type { Sighting } from "./account.ts";

/** Everything that clients did and saw, and what was done to the nodes. Times are of one clock. */
export interface History {
  readonly leaseMs: number;
  readonly requests: RequestMade[];
  readonly views: View[];
  readonly faults: Fault[];
  readonly handovers: HandoverSeen[];
}

/** A session that another node took over while what its owner was writing was on its way. */
export interface HandoverSeen {
  readonly sessionId: string;
  readonly from: string;
  /** Where its log ended when it was the other's. */
  readonly lastSeq: number;
}

export interface RequestMade {
  readonly kind: "create" | "send" | "answer" | "cancel";
  readonly sessionId: string;
  /** Of a message: what its text names it by. */
  readonly tag: string | null;
  /** Who was asked, the last time. */
  readonly node: string;
  /** When it was first asked: what is asked again under the same key may have been done then. */
  readonly firstAt: number;
  /** When it was last asked. */
  readonly sentAt: number;
  readonly endedAt: number;
  readonly outcome:
    | { readonly ok: true; readonly messageId: string | null }
    | { readonly ok: false; readonly why: string };
}

/** What one client saw of one session, over all its connections. */
export interface View {
  readonly client: string;
  readonly sessionId: string;
  /** The session as it was first read. */
  readonly first: WholeSession;
  readonly connections: Connection[];
  /** What all the events made of it. */
  session: WholeSession;
}

export interface Connection {
  readonly node: string;
  readonly at: number;
  /** The `Last-Event-ID` it was opened with. */
  readonly after: number;
  readonly events: SeenEvent[];
}

export interface SeenEvent {
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
  /** Null: all of them. */
  readonly node: string | null;
  readonly from: number;
  /** Infinity while it lasts. */
  to: number;
}

export function createHistory(leaseMs: number): History {
  return { leaseMs, requests: [], views: [], faults: [], handovers: [] };
}

export function beginFault(
  { faults }: History,
  { kind, node }: Pick<Fault, "kind" | "node">,
): () => void {
  const fault: Fault = { kind, node, from: Date.now(), to: Infinity };
  faults.push(fault);
  return () => {
    if (fault.to === Infinity) fault.to = Date.now();
  };
}

/** What the database holds when all is quiet. */
export interface Stored {
  readonly sessions: readonly StoredSession[];
}

export interface StoredSession {
  readonly id: string;
  readonly repo: string;
  /** As any node shows it. */
  readonly final: WholeSession;
  readonly owner: string | null;
  readonly lastSeq: number;
  readonly messages: readonly StoredMessage[];
  readonly runs: readonly StoredRun[];
  readonly log: readonly LogRow[];
  /** The log folded again is what the row says; if not, how they differ. */
  readonly difference: string | null;
}

export interface StoredMessage {
  readonly id: string;
  readonly runId: string | null;
  readonly seq: number;
  /** `agent` also for plans and tool calls, whose role is `system`. */
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
  /** Of an `event`: its type, and the run it is about. */
  readonly type: string | null;
  readonly runId: string | null;
}

/** All there is to judge by. */
export interface Evidence {
  readonly history: History;
  readonly stored: Stored;
  readonly account: readonly Sighting[];
}
