import type { Store } from "../../storage/store.ts";
import type { Feed, FeedItem } from "./feed.ts";
import type { FeedReader } from "../runtime.ts";
import { readableSnapshot } from "../session-snapshot.ts";

/** Changes remembered for readers who come back. */
const CHANGES_KEPT = 1_000;

export interface GlobalFeed {
  open(request: { readonly after: string | null } & FeedReader): Feed;
  touch(sessionId: string): void;
  end(sessionId: string): void;
  /** Anything may have changed: readers are told to read again. */
  reset(): void;
  stop(): Promise<void>;
  readonly readers: number;
  readonly dropped: number;
}

/**
 * Changes of all sessions, each as the session is then. Numbered by this process: a position of
 * another one, or one too old, cannot be gone on from, and the reader is told to read again.
 */
export function createGlobalFeed(
  store: Store,
  {
    name,
    onFailure,
  }: {
    /** Of this process; a part of every position. */
    readonly name: string;
    readonly onFailure: (error: unknown) => void;
  },
): GlobalFeed {
  const readers = new Set<Reader>();
  const changed = new Set<string>();
  let items: FeedItem[] = [];
  let count = 0;
  let dropped = 0;
  let reading: Promise<void> | null = null;
  let isStopped = false;

  const positionOf = (number: number): string => `${name}.${number}`;

  const publish = (change: FeedItem["change"]): void => {
    count += 1;
    items.push({ position: positionOf(count), change });
    if (items.length > CHANGES_KEPT) items = items.slice(-CHANGES_KEPT);
    for (const reader of readers) pump(reader);
  };

  /** Nobody watches: whoever comes back is told to read again. */
  const skip = (): void => {
    count += 1;
    items = [];
  };

  const readChanged = async (): Promise<void> => {
    for (const sessionId of changed) {
      changed.delete(sessionId);
      const session = await readableSnapshot(store, sessionId);
      if (isStopped) return;
      publish(session === null ? { type: "deleted", sessionId } : { type: "session", session });
    }
  };

  const read = (): void => {
    reading ??= readChanged()
      .catch(onFailure)
      .finally(() => {
        reading = null;
        // It may have changed after the last look, before anybody could begin another.
        if (changed.size > 0 && !isStopped) read();
      });
  };

  const pump = (reader: Reader): void => {
    if (!readers.has(reader)) return;
    const oldest = count - items.length;
    if (reader.number < oldest) {
      dropped += 1;
      readers.delete(reader);
      reader.onEnd("too_slow");
      return;
    }
    if (reader.isBlocked) return;
    for (const item of items.slice(reader.number - oldest)) {
      reader.number += 1;
      reader.isBlocked = !reader.onItem(item);
      if (reader.isBlocked) return;
    }
  };

  const numberIn = (position: string | null): number | null => {
    const [process, number] = position?.split(".") ?? [];
    if (process !== name || !/^\d{1,15}$/u.test(number ?? "")) return null;
    const after = Number(number);
    return after <= count && after >= count - items.length ? after : null;
  };

  return {
    get readers() {
      return readers.size;
    },
    get dropped() {
      return dropped;
    },
    open({ after, onItem, onEnd }) {
      const number = numberIn(after);
      const reader: Reader = { onItem, onEnd, number: number ?? count, isBlocked: false };
      readers.add(reader);
      const position = positionOf(reader.number);
      queueMicrotask(() => {
        if (number === null) reader.isBlocked = !onItem({ position, change: { type: "reset" } });
        pump(reader);
      });
      return {
        resume: () => {
          reader.isBlocked = false;
          pump(reader);
        },
        close: () => void readers.delete(reader),
      };
    },
    touch(sessionId) {
      if (isStopped) return;
      if (readers.size === 0) return skip();
      changed.add(sessionId);
      read();
    },
    end(sessionId) {
      changed.delete(sessionId);
      if (readers.size === 0) skip();
      else publish({ type: "deleted", sessionId });
    },
    reset() {
      if (readers.size === 0) skip();
      else publish({ type: "reset" });
    },
    async stop() {
      isStopped = true;
      const open = [...readers];
      readers.clear();
      for (const reader of open) reader.onEnd("stopping");
      await reading;
    },
  };
}

interface Reader extends FeedReader {
  /** Of the last change it was given. */
  number: number;
  isBlocked: boolean;
}
