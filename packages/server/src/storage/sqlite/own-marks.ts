import { randomInt } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";

/** What the connections of one process, on any of its threads, know of their writes. */
export type SharedMarks = Int32Array<SharedArrayBuffer>;

/** Our newest mark that is committed, the one that is about to be, how many were left, and whether a foreign one was found. */
const [COMMITTED, LEFT, COUNT, FOREIGN] = [0, 1, 2, 3];
const UNKNOWN = -1;
const MAX_MARK = 2 ** 31 - 1;

export function newMarks(): SharedMarks {
  return new Int32Array(new SharedArrayBuffer(16)).fill(UNKNOWN, COMMITTED, COUNT);
}

export interface OwnMarks {
  /** To be called first in a transaction that writes. */
  leave(): void;
  /** The transaction is stored. */
  keep(): void;
  /** Whether anybody but this process has written since the last time it was asked. */
  hasOutsideWrites(): boolean;
}

/**
 * Every write of ours leaves a mark in the file's header: another one there is another process's. Programs that leave none are
 * noticed while one connection of ours is the only one that writes: SQLite tells it whether others have.
 */
export function openMarks(raw: DatabaseSync, marks: SharedMarks): OwnMarks {
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
      if (!isOurs(markNow())) Atomics.store(marks, FOREIGN, 1);
      next = next === MAX_MARK ? 1 : next + 1;
      Atomics.store(marks, LEFT, next);
      Atomics.add(marks, COUNT, 1);
      seenCount += 1;
      raw.exec(`pragma user_version = ${next}`);
    },
    keep: () => {
      Atomics.store(marks, COMMITTED, next);
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
