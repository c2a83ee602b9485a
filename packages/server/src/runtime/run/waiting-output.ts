import type { MessageContent } from "../../domain/message.ts";
import type { OutputPlace } from "../../providers/provider.ts";
import type { OutputItem } from "../../storage/store.ts";

/**
 * What one call of the store gets, so that other sessions do not wait long for their turn. The agent has to wait while
 * more than this is waiting.
 */
const MAX_ITEMS = 32;
const MAX_SIZE = 128 * 1024;

/** Output of a run that is stored together. */
export interface WaitingBatch {
  readonly items: readonly OutputItem[];
  /** The approximate number of characters. */
  readonly size: number;
  /** When its first report arrived. */
  readonly oldestAt: number;
  /** The number of its last item. */
  readonly last: number;
  /** The last report that it contains; null if none has a place. */
  readonly place: OutputPlace | null;
  /** More was waiting than one batch may have. */
  readonly isFull: boolean;
}

interface Waiting {
  item: OutputItem;
  size: number;
  /** The report that it comes from, or the last one of several. */
  place: OutputPlace | null;
  readonly number: number;
  readonly addedAt: number;
}

/** The output of a run that waits to be stored, in order. */
export function createWaitingOutput() {
  let waiting: Waiting[] = [];
  let size = 0;
  /** Items are numbered from 1. */
  let added = 0;
  let settled = 0;
  let flushes: { readonly upTo: number; readonly resolve: () => void }[] = [];
  let room: PromiseWithResolvers<void> | null = null;
  const total = { messages: 0, size: 0 };

  const isFull = (): boolean => waiting.length > MAX_ITEMS || size > MAX_SIZE;

  const settleUpTo = (number: number): void => {
    settled = Math.max(settled, waiting.length === 0 ? added : number);
    const done = flushes.filter(({ upTo }) => upTo <= settled);
    flushes = flushes.filter(({ upTo }) => upTo > settled);
    for (const { resolve } of done) resolve();
  };

  const makeRoom = (): void => {
    if (isFull()) return;
    room?.resolve();
    room = null;
  };

  const add = (item: OutputItem, itemSize: number, place: OutputPlace | null = null): void => {
    added += 1;
    waiting.push({ item, size: itemSize, place, number: added, addedAt: performance.now() });
    size += itemSize;
    total.size += itemSize;
    if (item.put === "message") total.messages += 1;
  };

  /** The newer version of a message contains the text that waits for it. */
  const dropText = (messageId: string): void => {
    const isOld = ({ item }: Waiting): boolean =>
      item.put === "text" && item.messageId === messageId;
    for (const old of waiting.filter(isOld)) size -= old.size;
    waiting = waiting.filter((one) => !isOld(one));
  };

  return {
    /** Everything that was added so far. */
    get total(): { readonly messages: number; readonly size: number } {
      return total;
    },
    get isEmpty(): boolean {
      return waiting.length === 0;
    },
    add,
    /** Adds text to the last item, if that is text of the same message. */
    extend(messageId: string, more: string, place: OutputPlace | null = null): boolean {
      const last = waiting.at(-1);
      if (last?.item.put !== "text" || last.item.messageId !== messageId) return false;
      if (last.size + more.length > MAX_SIZE) return false;
      last.item = { ...last.item, text: last.item.text + more };
      last.place = place ?? last.place;
      last.size += more.length;
      size += more.length;
      total.size += more.length;
      return true;
    },
    /** Adds a newer version of a message. A version that still waits is not stored. */
    replace(
      messageId: string,
      { content, complete }: { readonly content: MessageContent; readonly complete: boolean },
      itemSize: number,
      place: OutputPlace | null = null,
    ): void {
      dropText(messageId);
      const at = waiting.findLastIndex(({ item }) => isVersionOf(item, messageId));
      const older = waiting[at];
      if (older?.item.put === "message") {
        older.item = { ...older.item, message: { ...older.item.message, content }, complete };
        size += itemSize - older.size;
        total.size += itemSize;
        older.size = itemSize;
        return;
      }
      for (const dropped of at === -1 ? [] : waiting.splice(at, 1)) size -= dropped.size;
      add({ put: "content", messageId, content, complete }, itemSize, place);
    },
    /** Takes the next batch; null if nothing is waiting. It counts as waiting for a flush until it is settled. */
    take(): WaitingBatch | null {
      const [first] = waiting;
      if (first === undefined) return null;
      let taken = 0;
      let takenSize = 0;
      for (const one of waiting) {
        const isFull = taken >= MAX_ITEMS || (taken > 0 && takenSize + one.size > MAX_SIZE);
        // What one report brought is stored together.
        if (isFull && !isSamePlace(waiting[taken - 1]?.place, one.place)) break;
        taken += 1;
        takenSize += one.size;
      }
      const batch = waiting.slice(0, taken);
      waiting = waiting.slice(taken);
      size -= takenSize;
      makeRoom();
      return {
        items: batch.map(({ item }) => item),
        size: takenSize,
        oldestAt: first.addedAt,
        last: batch.at(-1)?.number ?? first.number,
        place: batch.findLast(({ place }) => place !== null)?.place ?? null,
        isFull: waiting.length > 0 || taken >= MAX_ITEMS,
      };
    },
    /** The batch is stored, or never will be. */
    settle: ({ last }: WaitingBatch): void => settleUpTo(last),
    /** Drops everything. */
    clear(): void {
      waiting = [];
      size = 0;
      makeRoom();
    },
    /** Resolves when all items so far are settled. */
    flush(): Promise<void> {
      if (settled >= added) return Promise.resolve();
      return new Promise((resolve) => flushes.push({ upTo: added, resolve }));
    },
    /** The agent has to wait for the promise, if there is one. */
    room(): Promise<void> | undefined {
      if (!isFull()) return undefined;
      room ??= Promise.withResolvers<void>();
      return room.promise;
    },
  };
}

function isSamePlace(a: OutputPlace | null | undefined, b: OutputPlace | null): boolean {
  return a !== null && b !== null && a?.offset === b.offset && a.index === b.index;
}

function isVersionOf(item: OutputItem, messageId: string): boolean {
  return item.put === "message"
    ? item.message.id === messageId
    : item.put === "content" && item.messageId === messageId;
}
