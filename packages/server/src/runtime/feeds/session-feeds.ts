import type { Store } from "../../storage/store.ts";
import type { Feed, FeedEnd } from "./feed.ts";
import { addedSteps, readSteps, type LogStep } from "./log-items.ts";
import type { FeedReader } from "../runtime.ts";
import type { StoredOutput } from "../run/transcript-writer.ts";

/** Bounds of the steps kept for each watched session. Readers who are further behind read the store. */
export interface FeedMemory {
  readonly steps: number;
  /** Approximate number of characters. */
  readonly size: number;
  /** Log entries per read of the store. */
  readonly perRead: number;
}

export const MEMORY: FeedMemory = { steps: 1_000, size: 1024 * 1024, perRead: 200 };

export interface SessionFeeds {
  open(request: OpenFeed): Feed;
  /** Something of the session was stored. */
  touch(sessionId: string): void;
  /** The same, with what it was: a piece of text that comes next need not be read again. */
  add(sessionId: string, stored: StoredOutput): void;
  /** Anything may have been stored, or deleted, by somebody else. */
  lookAgain(): void;
  /** The session is gone: its readers are told and let go. */
  end(sessionId: string): void;
  stop(): Promise<void>;
  readonly readers: number;
  readonly dropped: number;
}

export interface OpenFeed extends FeedReader {
  readonly sessionId: string;
  /** The reader has everything up to here. */
  readonly after: number;
  /** The newest there is. */
  readonly lastSeq: number;
}

/**
 * What happens to sessions, to whoever watches. The store is the only source: a touch is just a hint
 * to read on, so that a lost or doubled one does no harm. Steps are made once and shared.
 */
export function createSessionFeeds(
  store: Store,
  {
    onFailure,
    memory = MEMORY,
  }: { readonly onFailure: (error: unknown) => void; readonly memory?: FeedMemory },
): SessionFeeds {
  const channels = new Map<string, Channel>();
  let dropped = 0;
  let stopping = false;

  const onDropped = (): void => {
    dropped += 1;
  };

  return {
    get readers() {
      return [...channels.values()].reduce((sum, channel) => sum + channel.readers.size, 0);
    },
    get dropped() {
      return dropped;
    },
    open(request) {
      const { sessionId, lastSeq } = request;
      let channel = channels.get(sessionId);
      if (channel === undefined) {
        const onEmpty = (): void => void channels.delete(sessionId);
        channel = new Channel({
          store,
          sessionId,
          lastSeq,
          memory,
          onEmpty,
          onDropped,
          onFailure,
        });
        channels.set(sessionId, channel);
      }
      // A position that does not exist yet is of another log: everything is sent.
      const after = request.after > Math.max(lastSeq, channel.seq) ? 0 : request.after;
      return channel.open({ ...request, after });
    },
    touch: (sessionId) => channels.get(sessionId)?.read(),
    add: (sessionId, stored) => channels.get(sessionId)?.add(stored),
    lookAgain: () => {
      if (channels.size === 0) return;
      void store.lastSeqs([...channels.keys()]).then((lastSeqs) => {
        for (const [sessionId, channel] of channels) {
          const lastSeq = lastSeqs.get(sessionId);
          if (lastSeq === undefined) channel.end("deleted");
          else if (lastSeq > channel.seq) channel.read();
        }
      }, onFailure);
    },
    end: (sessionId) => channels.get(sessionId)?.end("deleted"),
    async stop() {
      if (stopping) return;
      stopping = true;
      const open = [...channels.values()];
      for (const channel of open) channel.end("stopping");
      await Promise.all(open.map((channel) => channel.settled));
    },
  };
}

interface Reader extends FeedReader {
  /** Everything up to here has been given to it. */
  seq: number;
  isBlocked: boolean;
  /**
   * Where its next steps come from. The store keeps a message at its newest entry only, so a reader halfway
   * through the store may lack a message whose older text is still in memory. It may follow memory once it
   * has read the store to its end.
   */
  source: "store" | "memory";
  /** A read of the store is under way for it. */
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

/** One session that is being watched. */
class Channel {
  readonly #options: Omit<ChannelOptions, "lastSeq">;
  readonly readers = new Set<Reader>();
  /** The newest steps; the one before the first has the number `#before`. */
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
    const hasAll = after >= lastSeq && after >= this.seq;
    const source = hasAll ? "memory" : "store";
    const reader: Reader = {
      onItem,
      onEnd,
      seq: after,
      isBlocked: false,
      isReading: false,
      source,
    };
    this.readers.add(reader);
    // Not before the caller has the feed in hand.
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

  /** What is added to the end is the commonest thing by far, and needs no read when nothing is missing. */
  add(stored: StoredOutput): void {
    const isNext = stored.firstSeq === this.seq + 1;
    const steps = isNext ? addedSteps(this.#options.sessionId, stored) : null;
    if (steps === null || this.#reading !== null || this.#isEnded) return this.read();
    this.#take(steps);
  }

  /** Reads on; one read at a time, and one more when something came meanwhile. */
  read(): void {
    if (this.#isEnded) return;
    this.#again = true;
    this.#reading ??= this.#readOn()
      .catch((error: unknown) => {
        this.#options.onFailure(error);
        // What was missed is not known here; a reconnect begins from what the reader has.
        this.end("stopping");
      })
      .finally(() => {
        this.#reading = null;
        // It may have come after the last look, before anybody could begin another.
        if (this.#again) this.read();
      });
  }

  async #readOn(): Promise<void> {
    const { store, sessionId, memory } = this.#options;
    while (this.#again && !this.#isEnded) {
      this.#again = false;
      const steps = await readSteps(store, {
        sessionId,
        after: this.seq,
        limit: memory.perRead,
      });
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

  /** Gives the reader what it lacks, as long as it takes it. */
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

  /** Out of the store, page by page, to its end. */
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
      // The store holds nothing more up to `before`: older entries were folded into newer ones.
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

/** False when the reader wants a pause; the step was taken all the same. */
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
