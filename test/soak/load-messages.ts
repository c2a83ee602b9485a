import type { Latencies } from "./latencies.ts";
import type { MessageFold } from "./message-fold.ts";

/** What the processes of a soak tell each other. */

/** Reads all the time; reads with long pauses; breaks off now and then and comes back. */
export type ClientKind = "steady" | "slow" | "returning";

/** A session at rest. */
export interface Settled {
  readonly sessionId: string;
  readonly lastId: number;
  readonly fold: MessageFold;
}

export type ToReaders =
  | { readonly type: "watch"; readonly sessionId: string; readonly clients: readonly ClientKind[] }
  | { readonly type: "watch-all"; readonly clients: readonly ClientKind[] }
  | { readonly type: "settled"; readonly settled: Settled }
  | { readonly type: "figures" }
  | { readonly type: "stop" };

export type FromReaders =
  | { readonly type: "watched"; readonly sessionId: string }
  /** All its clients of this session have seen everything, or said what they lack, and are gone. */
  | { readonly type: "left"; readonly sessionId: string }
  | { readonly type: "figures"; readonly figures: ReaderFigures }
  | { readonly type: "stopped" };

/** Since the last time, but for `open`. */
export interface ReaderFigures {
  readonly open: number;
  readonly events: number;
  readonly updates: Latencies;
  /** Times that clients were let go which had not asked for it, by kind. */
  readonly dropped: Readonly<Record<ClientKind, number>>;
  readonly returned: number;
  readonly resets: number;
  readonly violations: readonly string[];
}

export type ToSender =
  | { readonly type: "begin" }
  | { readonly type: "watched"; readonly sessionId: string }
  | { readonly type: "left"; readonly sessionId: string }
  | { readonly type: "figures" }
  | { readonly type: "stop" };

export type FromSender =
  | { readonly type: "opened"; readonly sessionId: string }
  /** There is a session of each, and messages are being sent. */
  | { readonly type: "ready" }
  | { readonly type: "settled"; readonly settled: Settled }
  | { readonly type: "figures"; readonly figures: SenderFigures }
  | { readonly type: "stopped" };

/** Since the last time. */
export interface SenderFigures {
  readonly acknowledged: number;
  /** Due, but not sent, since too many others had no answer yet. */
  readonly heldBack: number;
  readonly refused: Readonly<Record<string, number>>;
  /** Sent again under the same key. */
  readonly repeated: number;
  readonly sends: Latencies;
  /** Sessions checked at their end, and deleted. */
  readonly sessionsEnded: number;
  readonly messagesChecked: number;
  readonly violations: readonly string[];
}
