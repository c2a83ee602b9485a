import type { Store } from "../../storage/store.ts";
import type { Feed, FeedEnd, FeedReader } from "./feed.ts";
import {
  addedSteps,
  committedSteps,
  readSteps,
  type LogStep,
  type StoredCommit,
} from "./log-items.ts";
import type { StoredOutput } from "../run/transcript-writer.ts";

/** Bounds of the steps kept per watched session. Readers that are further behind read the store. */
export interface FeedMemory {
  readonly steps: number;
  /** Approximate number of characters. */
  readonly size: number;
  /** Log entries per read of the store. */
  readonly perRead: number;
}

export const MEMORY: FeedMemory = { steps: 1_000, size: 1024 * 1024, perRead: 200 };

export type SessionFeeds = ReturnType<typeof createSessionFeeds>;

export interface OpenFeed extends FeedReader {
  readonly sessionId: string;
  /** The last position of the reader. */
  readonly after: number;
  /** The last position of the log. */
  readonly lastSeq: number;
}

/**
 * The feeds of single sessions. The store is the only source: a touch is only a hint to read on, so a lost or repeated
 * touch does no harm. All readers share the steps.
 */
export function createSessionFeeds(
  store: Store,
  options: { readonly onFailure: (error: unknown) => void; readonly memory?: FeedMemory },
) {
  const { onFailure, memory = MEMORY } = options;
  const channels = new Map<string, Channel>();
  let dropped = 0;
  const onDropped = (): void => {
    dropped += 1;
  };

  return {
    get readers(): number {
      return [...channels.values()].reduce((sum, channel) => sum + channel.readers.size, 0);
    },
    get dropped(): number {
      return dropped;
    },
    open(request: OpenFeed): Feed {
      const { sessionId, lastSeq } = request;
      let channel = channels.get(sessionId);
      if (channel === undefined) {
        const onEmpty = (): void => void channels.delete(sessionId);
        const about = { sessionId, lastSeq, onEmpty };
        channel = new Channel({ ...about, store, memory, onDropped, onFailure });
        channels.set(sessionId, channel);
      }
      // A position beyond the end belongs to another log, so everything is sent.
      const after = request.after > Math.max(lastSeq, channel.seq) ? 0 : request.after;
      return channel.open({ ...request, after });
    },
    /** Something of the session was stored. */
    touch: (sessionId: string): void => channels.get(sessionId)?.read(),
    /** Like `touch`, but with the output, so that it need not be read again. */
    add: (sessionId: string, stored: StoredOutput): void =>
      channels.get(sessionId)?.add(stored.firstSeq, () => addedSteps(sessionId, stored)),
    /** The same with a commit. */
    addCommit: (sessionId: string, firstSeq: number, commit: StoredCommit): void =>
      channels.get(sessionId)?.add(firstSeq, () => committedSteps(commit)),
    /** Other processes may have written to or deleted any session. */
    lookAgain: (): void => {
      if (channels.size === 0) return;
      // Only these: the reply says nothing about a session that is watched only since then.
      const asked = [...channels];
      void store.lastSeqs(asked.map(([sessionId]) => sessionId)).then((lastSeqs) => {
        for (const [sessionId, channel] of asked) {
          const lastSeq = lastSeqs.get(sessionId);
          if (lastSeq === undefined) channel.end("deleted");
          else if (lastSeq > channel.seq) channel.read();
        }
      }, onFailure);
    },
    /** The session was deleted: ends its readers. */
    end: (sessionId: string): void => channels.get(sessionId)?.end("deleted"),
    async stop(): Promise<void> {
      const open = [...channels.values()];
      for (const channel of open) channel.end("stopping");
      await Promise.all(open.map((channel) => channel.settled));
    },
  };
}

interface Reader extends FeedReader {
  /** The position of its last step. */
  seq: number;
  isBlocked: boolean;
  /**
   * Where its next steps come from. The store keeps a message at its newest entry only, so a reader halfway
   * through the store may lack a message whose older text is still in memory. It may follow memory once it
   * has read the store to its end.
   */
  source: "store" | "memory";
  /** The store is being read for it. */
  isReading: boolean;
}

interface ChannelOptions {
  readonly store: Store;
  readonly sessionId: string;
  readonly lastSeq: number;
  readonly memory: FeedMemory;
  readonly onEmpty: () => void;
  readonly onDropped: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** The readers of one session. */
class Channel {
  readonly #options: Omit<ChannelOptions, "lastSeq">;
  readonly readers = new Set<Reader>();
  /** The newest steps. `#before` is the position before the first. */
  #steps: LogStep[] = [];
  #before: number;
  #size = 0;
  #reading: Promise<void> | null = null;
  #again = false;
  #isEnded = false;
  readonly #catchingUp = new Set<Promise<void>>();

  constructor({ lastSeq, ...options }: ChannelOptions) {
    this.#options = options;
    this.#before = lastSeq;
  }

  get seq(): number {
    return this.#steps.at(-1)?.seq ?? this.#before;
  }

  get settled(): Promise<unknown> {
    return Promise.allSettled([this.#reading, ...this.#catchingUp]);
  }

  open({ onItem, onEnd, after, lastSeq }: Omit<OpenFeed, "sessionId">): Feed {
    const source = after >= lastSeq && after >= this.seq ? "memory" : "store";
    const state = { seq: after, isBlocked: false, isReading: false };
    const reader: Reader = { onItem, onEnd, source, ...state };
    this.readers.add(reader);
    // The caller gets the feed first.
    queueMicrotask(() => {
      this.#pump(reader);
      this.read();
    });
    return {
      resume: () => {
        if (!reader.isBlocked) return;
        reader.isBlocked = false;
        this.#pump(reader);
      },
      close: () => this.#remove(reader),
    };
  }

  /** What is next in the log, the most frequent case, needs no read. `stepsOf` returns null if it needs one all the same. */
  add(firstSeq: number, stepsOf: () => readonly LogStep[] | null): void {
    const isNext = firstSeq === this.seq + 1;
    const steps = isNext && this.#reading === null && !this.#isEnded ? stepsOf() : null;
    if (steps === null) return this.read();
    this.#take(steps);
  }

  /** Reads new entries, one read at a time, and once more after a touch during a read. */
  read(): void {
    if (this.#isEnded) return;
    this.#again = true;
    this.#reading ??= this.#readOn()
      .catch((error: unknown) => {
        this.#options.onFailure(error);
        // A reader that reconnects continues from its own position.
        this.end("stopping");
      })
      .finally(() => {
        this.#reading = null;
        // A touch may have come after the loop ended.
        if (this.#again) this.read();
      });
  }

  async #readOn(): Promise<void> {
    const { store, sessionId, memory } = this.#options;
    while (this.#again && !this.#isEnded) {
      this.#again = false;
      const after = this.seq;
      const steps = await readSteps(store, { sessionId, after, limit: memory.perRead });
      if (steps.length === memory.perRead) this.#again = true;
      this.#take(steps);
    }
  }

  #take(steps: readonly LogStep[]): void {
    this.#steps.push(...steps);
    this.#size += sizeOf(steps);
    for (const reader of this.readers) this.#pump(reader);
    this.#forgetOld();
  }

  #forgetOld(): void {
    const { memory } = this.#options;
    let forgotten = 0;
    while (this.#steps.length - forgotten > memory.steps || this.#size > memory.size) {
      const step = this.#steps[forgotten];
      if (step === undefined) break;
      this.#size -= step.size;
      this.#before = step.seq;
      forgotten += 1;
    }
    if (forgotten === 0) return;
    this.#steps.splice(0, forgotten);
    for (const reader of this.readers) {
      const isLost = reader.isBlocked && !reader.isReading && reader.seq < this.#before;
      if (isLost) this.#drop(reader);
    }
  }

  /** Sends the missing steps until the reader pauses. */
  #pump(reader: Reader): void {
    if (reader.isBlocked || reader.isReading || !this.readers.has(reader)) return;
    if (reader.seq < this.#before) reader.source = "store";
    if (reader.source === "store") return this.#catchUp(reader);
    const from = firstAfter(this.#steps, reader.seq);
    for (let index = from; index < this.#steps.length; index += 1) {
      const step = this.#steps[index];
      if (step === undefined || !give(reader, step)) return;
    }
  }

  /** Reads the store for one reader, page by page, to the end. */
  #catchUp(reader: Reader): void {
    reader.isReading = true;
    const work = this.#readFor(reader)
      .catch((error: unknown) => {
        this.#options.onFailure(error);
        this.#drop(reader);
      })
      .finally(() => {
        this.#catchingUp.delete(work);
        reader.isReading = false;
        this.#pump(reader);
      });
    this.#catchingUp.add(work);
  }

  async #readFor(reader: Reader): Promise<void> {
    const { store, sessionId, memory } = this.#options;
    const limit = memory.perRead;
    while (reader.source === "store") {
      const before = this.#before;
      const steps = await readSteps(store, { sessionId, after: reader.seq, limit });
      if (!this.readers.has(reader)) return;
      for (const step of steps) if (!give(reader, step)) return;
      if (steps.length === limit) continue;
      // The store has no more entries up to `before`: newer entries replaced the older ones.
      reader.seq = Math.max(reader.seq, before);
      reader.source = "memory";
    }
  }

  #drop(reader: Reader): void {
    if (!this.readers.has(reader)) return;
    this.#options.onDropped();
    this.#remove(reader);
    reader.onEnd("too_slow");
  }

  #remove(reader: Reader): void {
    if (!this.readers.delete(reader) || this.readers.size > 0) return;
    this.#isEnded = true;
    this.#options.onEmpty();
  }

  end(how: FeedEnd): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#options.onEmpty();
    const readers = [...this.readers];
    this.readers.clear();
    for (const reader of readers) {
      if (how === "deleted") {
        const { sessionId } = this.#options;
        reader.onItem({ position: null, change: { type: "deleted", sessionId } });
      }
      reader.onEnd(how);
    }
  }
}

/** Sends a step. Returns false if the reader pauses after it. */
function give(reader: Reader, { seq, items }: LogStep): boolean {
  let takesMore = true;
  for (const item of items) takesMore = reader.onItem(item) && takesMore;
  reader.seq = seq;
  reader.isBlocked = !takesMore;
  return takesMore;
}

function sizeOf(steps: readonly LogStep[]): number {
  return steps.reduce((sum, { size }) => sum + size, 0);
}

function firstAfter(steps: readonly LogStep[], seq: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((steps[middle]?.seq ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
