import type { Latencies } from "./latencies.ts";
import type { MessageFold } from "./message-fold.ts";

/** Messages between the processes of a soak test. */

/** Reads continuously; reads with long pauses; disconnects sometimes and reconnects. */
export type ClientKind = "steady" | "slow" | "returning";

/** The final state of a session. */
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
  /** All clients of this session have seen everything, or reported what is missing, and have disconnected. */
  | { readonly type: "left"; readonly sessionId: string }
  | { readonly type: "figures"; readonly figures: ReaderFigures }
  | { readonly type: "stopped" };

/** All but `open` count since the last request. */
export interface ReaderFigures {
  readonly open: number;
  readonly events: number;
  readonly updates: Latencies;
  /** How often the server dropped clients, by kind. */
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
  /** All sessions are open, and messages are being sent. */
  | { readonly type: "ready" }
  | { readonly type: "settled"; readonly settled: Settled }
  | { readonly type: "figures"; readonly figures: SenderFigures }
  | { readonly type: "stopped" };

/** Counts since the last request. */
export interface SenderFigures {
  readonly acknowledged: number;
  /** Messages that were due but not sent, because too many others had no response. */
  readonly heldBack: number;
  readonly refused: Readonly<Record<string, number>>;
  /** Messages sent again with the same key. */
  readonly repeated: number;
  readonly sends: Latencies;
  /** Sessions checked and deleted. */
  readonly sessionsEnded: number;
  readonly messagesChecked: number;
  readonly violations: readonly string[];
}
