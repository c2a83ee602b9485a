import type { FeedItem, FeedReader, Runtime } from "../../runtime/runtime.ts";

type Opened = Parameters<Runtime["openFeed"]>[0];

/** A feed that sends the items of a test and records the calls of its reader. */
export class ScriptedFeed {
  readonly opened: Opened;
  readonly closed = Promise.withResolvers<void>();
  #resumed = Promise.withResolvers<void>();
  isClosed = false;

  constructor(opened: Opened) {
    this.opened = opened;
  }

  get reader(): FeedReader {
    return this.opened;
  }

  /** Resolves at the next call of `resume`. */
  get resumed(): Promise<void> {
    return this.#resumed.promise;
  }

  resume(): void {
    const { resolve } = this.#resumed;
    this.#resumed = Promise.withResolvers();
    resolve();
  }

  close(): void {
    this.isClosed = true;
    this.closed.resolve();
  }

  say(number: number, text = `text ${number}`): boolean {
    return this.reader.onItem(delta(number, text));
  }
}

export function delta(number: number, text: string): FeedItem {
  return { position: String(number), change: { type: "delta", messageId: "m1", text } };
}

/** The opened feeds, in order. */
export function scriptedFeeds(): {
  readonly runtime: Partial<Runtime>;
  readonly next: () => Promise<ScriptedFeed>;
} {
  const feeds: ScriptedFeed[] = [];
  const waiting: ((feed: ScriptedFeed) => void)[] = [];
  return {
    runtime: {
      openFeed: async (opened) => {
        const feed = new ScriptedFeed(opened);
        const taker = waiting.shift();
        if (taker === undefined) feeds.push(feed);
        else taker(feed);
        return { ok: true, feed };
      },
    },
    next: async () => feeds.shift() ?? new Promise((resolve) => waiting.push(resolve)),
  };
}
