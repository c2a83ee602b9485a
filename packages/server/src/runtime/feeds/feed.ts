import type { Message } from "../../domain/message.ts";
import type { QueuedMessage, Run, StoredSuspension } from "../../storage/store.ts";
import type { SessionSnapshot } from "../session-snapshot.ts";

/**
 * One step of a feed. `position` is where a reader that has taken it may go on after a break; null
 * on all but the last of the items that belong to one entry of the log.
 */
export interface FeedItem {
  readonly position: string | null;
  readonly change: FeedChange;
}

/** Whole things as they are now, to replace what the reader has; text alone is added to its message. */
export type FeedChange =
  | { readonly type: "message"; readonly message: Message }
  | { readonly type: "delta"; readonly messageId: string; readonly text: string }
  | { readonly type: "run"; readonly run: Run }
  | { readonly type: "session"; readonly session: SessionSnapshot }
  | { readonly type: "suspension"; readonly suspension: StoredSuspension }
  | { readonly type: "queue"; readonly queue: readonly QueuedMessage[] }
  | {
      readonly type: "phase";
      readonly from: string;
      readonly to: string;
      readonly at: number;
    }
  | { readonly type: "deleted"; readonly sessionId: string }
  /** Global feed only: what was missed is not known; read again what is shown. */
  | { readonly type: "reset" };

export type FeedEnd = "deleted" | "too_slow" | "stopping";

export interface Feed {
  /** The reader can take items again. */
  resume(): void;
  close(): void;
}
