import type { Store } from "../../storage/store.ts";
import type { Feed, FeedItem, FeedReader } from "./feed.ts";
import { readableSnapshot, type SessionSnapshot } from "../session-snapshot.ts";

/** Changes kept for readers that reconnect. */
const CHANGES_KEPT = 1_000;

export type GlobalFeed = ReturnType<typeof createGlobalFeed>;

/**
 * Changes of all sessions, each as a snapshot of the session. This process numbers them: a reader with a position of
 * another process, or one that is too old, must read everything again. `name` is the process name in every position.
 */
export function createGlobalFeed(
  store: Store,
  { name, onFailure }: { readonly name: string; readonly onFailure: (error: unknown) => void },
) {
  const readers = new Set<Reader>();
  /** With what they are now, if that is known. */
  const changed = new Map<string, SessionSnapshot | null>();
  let items: FeedItem[] = [];
  let count = 0;
  let dropped = 0;
  let reading: Promise<void> | null = null;
  let isStopped = false;

  const positionOf = (number: number): string => `${name}.${number}`;

  /** Without readers, nothing is kept. A reader that reconnects must read everything again. */
  const skip = (): void => {
    count += 1;
    items = [];
  };

  const publish = (change: FeedItem["change"]): void => {
    if (readers.size === 0) return skip();
    count += 1;
    items.push({ position: positionOf(count), change });
    if (items.length > CHANGES_KEPT) items = items.slice(-CHANGES_KEPT);
    for (const reader of readers) pump(reader);
  };

  const readChanged = async (): Promise<void> => {
    for (const [sessionId, known] of changed) {
      changed.delete(sessionId);
      const session = known ?? (await readableSnapshot(store, sessionId));
      if (isStopped) return;
      publish(session === null ? { type: "deleted", sessionId } : { type: "session", session });
    }
  };

  const read = (): void => {
    reading ??= readChanged()
      .catch(onFailure)
      .finally(() => {
        reading = null;
        // A session may have changed after the loop ended.
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
    get readers(): number {
      return readers.size;
    },
    get dropped(): number {
      return dropped;
    },
    open({ after, onItem, onEnd }: { readonly after: string | null } & FeedReader): Feed {
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
    /** The session has changed. `known`: what it is now; null if that must be read. */
    touch(sessionId: string, known: SessionSnapshot | null = null): void {
      if (isStopped) return;
      if (readers.size === 0) return skip();
      changed.set(sessionId, known);
      read();
    },
    end(sessionId: string): void {
      changed.delete(sessionId);
      publish({ type: "deleted", sessionId });
    },
    /** Unknown changes: readers must read everything again. */
    reset: (): void => publish({ type: "reset" }),
    async stop(): Promise<void> {
      isStopped = true;
      const open = [...readers];
      readers.clear();
      for (const reader of open) reader.onEnd("stopping");
      await reading;
    },
  };
}

interface Reader extends FeedReader {
  /** The number of its last change. */
  number: number;
  isBlocked: boolean;
}
