import type { Message, MessagesReply } from "@holdfast/protocol";
import { createStore, type Store } from "../api/store.ts";
import type { Entry } from "./entries.ts";

/** Reads the last messages before this position. */
export type ReadEarlier = (beforeSeq: number) => Promise<EarlierPage>;
type EarlierPage = Pick<MessagesReply, "messages" | "decisions">;

/** The messages before the loaded ones. They are read in pages, one at a time. */
export interface EarlierMessages {
  /** How many are not loaded. */
  readonly count: number;
  /** Whether they are being loaded. */
  readonly loading: Pick<Store<boolean>, "current" | "subscribe">;
  /** Loads the next page. False if there is none, or if it could not be read. */
  load(): Promise<boolean>;
  /** Loads pages until the message can be shown. False if there is no such message. */
  loadUntil(messageId: string): Promise<boolean>;
}

export function createEarlier({
  read,
  before,
  isShown,
  add,
}: {
  readonly read: ReadEarlier;
  /** The position of the first loaded message. */
  readonly before: () => number;
  readonly isShown: (messageId: string) => boolean;
  readonly add: (page: EarlierPage) => void;
}): EarlierMessages & { reset(count: number): void } {
  const loading = createStore(false);
  let count = 0;
  let current: Promise<boolean> | null = null;

  const readPage = async (): Promise<boolean> => {
    const start = before();
    loading.set(true);
    try {
      const page = await read(start);
      const { messages } = page;
      // The session was read again meanwhile.
      if (before() !== start) return count > 0;
      count = messages.length === 0 ? 0 : Math.max(0, count - messages.length);
      add(page);
      return messages.length > 0;
    } catch {
      return false;
    } finally {
      current = null;
      loading.set(false);
    }
  };
  const load = async (): Promise<boolean> => {
    if (count === 0) return false;
    current ??= readPage();
    return current;
  };

  return {
    get count() {
      return count;
    },
    loading,
    load,
    async loadUntil(messageId) {
      while (!isShown(messageId)) if (!(await load())) return isShown(messageId);
      return true;
    },
    reset(next) {
      count = Math.max(0, next);
    },
  };
}

/**
 * Of the loaded messages, those before a new tail of the session. None if something may be missing between them, or if
 * one of them could have changed.
 */
export function keptBefore(
  entries: readonly Entry[],
  tail: readonly Message[],
): readonly Message[] {
  const start = tail[0]?.seq ?? Infinity;
  const older = entries.filter(({ message }) => message.seq < start);
  const isSafe = older.length < entries.length && older.every(({ message }) => message.complete);
  return isSafe ? older.map(({ message }) => message) : [];
}
