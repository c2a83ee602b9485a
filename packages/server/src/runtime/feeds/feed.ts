import type { Message } from "../../domain/message.ts";
import type { QueuedMessage, Run, StoredSuspension } from "../../storage/store.ts";
import type { SessionSnapshot } from "../session-snapshot.ts";

/** One item of a feed. A reader resumes after `position`; it is null on all but the last item of one log entry. */
export interface FeedItem {
  readonly position: string | null;
  readonly change: FeedChange;
}

/** A current snapshot that replaces the reader's copy; only a `delta` is appended to its message. */
export type FeedChange =
  | { readonly type: "message"; readonly message: Message }
  | { readonly type: "delta"; readonly messageId: string; readonly text: string }
  | { readonly type: "run"; readonly run: Run }
  | { readonly type: "session"; readonly session: SessionSnapshot }
  | { readonly type: "suspension"; readonly suspension: StoredSuspension }
  | { readonly type: "queue"; readonly queue: readonly QueuedMessage[] }
  | { readonly type: "phase"; readonly from: string; readonly to: string; readonly at: number }
  | { readonly type: "deleted"; readonly sessionId: string }
  /** Global feed only: changes were missed, so the reader must read everything again. */
  | { readonly type: "reset" };

export type FeedEnd = "deleted" | "too_slow" | "stopping";

export interface FeedReader {
  /** Takes an item. Returns false to pause the feed until `feed.resume()`. */
  readonly onItem: (item: FeedItem) => boolean;
  /** No more items follow. */
  readonly onEnd: (end: FeedEnd) => void;
}

export interface Feed {
  /** Continues after the reader paused it. */
  resume(): void;
  close(): void;
}
