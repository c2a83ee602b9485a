import type { WriteName, Writer } from "../writes/writes.ts";

/** Documents per write, so that other writes wait for a few milliseconds at most. */
const AT_ONCE = 32;
/** How long there must be no changes before they are taken in, and how long that may be put off. */
const QUIET_MS = 250;
const LATEST_MS = 2_000;

/** The writes that may note something for the search. */
const NOTING: ReadonlySet<string> = new Set<WriteName>([
  "addToImport",
  "appendOutput",
  "commitChange",
  "finishImport",
]);

export interface KeptIndex {
  /** A write may have noted something. */
  after(name: WriteName): void;
  /** Takes in all that is noted, before a search. */
  flush(): Promise<void>;
  close(): void;
}

interface KeepOptions {
  readonly isNoted: () => Promise<boolean>;
  /** Also without a search, after the changes. */
  readonly inBackground: boolean;
}

/**
 * Takes what changes note for the full-text search into its index. What a process leaves is taken in by the next one, or by the
 * next search.
 */
export function keepIndexed(write: Writer, { isNoted, inBackground }: KeepOptions): KeptIndex {
  let timer: NodeJS.Timeout | null = null;
  let firstAt = 0;
  let isClosed = false;

  /** Nothing is written for nothing. */
  const some = async (): Promise<boolean> =>
    (await isNoted()) &&
    (await write("indexNoted", { limit: AT_ONCE }, { durable: false })) === AT_ONCE;

  /** One piece after the other, with time for others between. A failure is tried again after the next change. */
  const work = (): void => {
    timer = null;
    some().then(
      (isMore) => {
        if (isMore && timer === null) plan();
      },
      () => {},
    );
  };

  const plan = (): void => {
    if (isClosed) return;
    firstAt = performance.now();
    timer = setTimeout(work, QUIET_MS).unref();
  };

  if (inBackground) plan();
  return {
    after: (name) => {
      if (!inBackground || !NOTING.has(name)) return;
      if (timer === null) plan();
      else if (performance.now() - firstAt < LATEST_MS) timer.refresh();
    },
    flush: async () => {
      while (await some());
    },
    close: () => {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
