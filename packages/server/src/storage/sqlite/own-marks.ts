import { randomInt } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";

/** Shared by all connections of a process, across threads, to recognize its own writes. */
export type SharedMarks = Int32Array<SharedArrayBuffer>;

/** The newest committed mark, the pending one, the number of own writes, and whether a foreign mark was seen. */
const [COMMITTED, LEFT, COUNT, FOREIGN] = [0, 1, 2, 3];
const UNKNOWN = -1;
const MAX_MARK = 2 ** 31 - 1;

export function newMarks(): SharedMarks {
  return new Int32Array(new SharedArrayBuffer(16)).fill(UNKNOWN, COMMITTED, COUNT);
}

export interface OwnMarks {
  /** Must be the first call in a writing transaction. */
  leave(): void;
  /** The transaction was committed. */
  keep(): void;
  /** Whether another process has written since the last call. */
  hasOutsideWrites(): boolean;
}

/**
 * Every write leaves a mark in the file's header, unless nobody has to notice it (`leavesMarks`). Any other mark comes from
 * another process. A program that leaves no mark is noticed through SQLite's data version, while only one of our connections writes.
 */
export function openMarks(
  raw: DatabaseSync,
  marks: SharedMarks,
  { leavesMarks = true }: { readonly leavesMarks?: boolean } = {},
): OwnMarks {
  const readMark = raw.prepare("pragma user_version");
  const readVersion = raw.prepare("pragma data_version");
  const markNow = (): number => Number(readMark.get()?.["user_version"]);
  const versionNow = (): number => Number(readVersion.get()?.["data_version"]);
  const isOurs = (mark: number): boolean => mark === marks[COMMITTED] || mark === marks[LEFT];
  let next = randomInt(1, MAX_MARK);
  let version = versionNow();
  Atomics.compareExchange(marks, COMMITTED, UNKNOWN, markNow());
  let seenCount = Atomics.load(marks, COUNT);

  return {
    leave: () => {
      Atomics.add(marks, COUNT, 1);
      seenCount += 1;
      if (!leavesMarks) return;
      if (!isOurs(markNow())) Atomics.store(marks, FOREIGN, 1);
      next = next === MAX_MARK ? 1 : next + 1;
      Atomics.store(marks, LEFT, next);
      raw.exec(`pragma user_version = ${next}`);
    },
    keep: () => {
      if (leavesMarks) Atomics.store(marks, COMMITTED, next);
    },
    hasOutsideWrites: () => {
      const [count, mark, now] = [Atomics.load(marks, COUNT), markNow(), versionNow()];
      const isOnlyWriter = count === seenCount && count === Atomics.load(marks, COUNT);
      const isForeign = !isOurs(mark);
      const wasForeign = Atomics.exchange(marks, FOREIGN, 0) === 1;
      const isOther = isOnlyWriter && now !== version;
      if (isForeign) Atomics.store(marks, COMMITTED, mark);
      seenCount = count;
      version = now;
      return wasForeign || isForeign || isOther;
    },
  };
}
