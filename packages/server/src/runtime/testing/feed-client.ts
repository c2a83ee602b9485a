import type { Message } from "../../domain/message.ts";
import type { Run, Store, StoredSuspension } from "../../storage/store.ts";
import type { FeedEnd, FeedItem } from "../feeds/feed.ts";
import type { QueuedMessage } from "../runtime.ts";
import type { SessionSnapshot } from "../session-snapshot.ts";
import type { SessionFeeds } from "../feeds/session-feeds.ts";
import { readWholeSession } from "../requests/session-reads.ts";

/** A reader that applies what it gets, as a client does, and takes only as much as it is allowed to. */
export class FeedClient {
  readonly #store: Store;
  readonly #feeds: SessionFeeds;
  readonly #sessionId: string;
  session: SessionSnapshot | null = null;
  queue: readonly QueuedMessage[] = [];
  readonly messages = new Map<string, Message>();
  readonly runs = new Map<string, Run>();
  readonly suspensions = new Map<string, StoredSuspension>();
  readonly positions: number[] = [];
  readonly ends: FeedEnd[] = [];
  after = 0;
  allowance = Infinity;
  /** Text that came for a message which was not sent. */
  readonly orphans: string[] = [];
  #feed: { resume(): void; close(): void } | null = null;

  constructor({
    store,
    feeds,
    sessionId,
  }: {
    readonly store: Store;
    readonly feeds: SessionFeeds;
    readonly sessionId: string;
  }) {
    this.#store = store;
    this.#feeds = feeds;
    this.#sessionId = sessionId;
  }

  /** Begins with what a read of the session shows, as the typed client and the page do. */
  async load(): Promise<void> {
    const whole = await readWholeSession(this.#store, this.#sessionId);
    if (!whole.ok) throw new Error("no session");
    this.session = whole.session;
    for (const message of whole.messages) this.messages.set(message.id, message);
    this.after = whole.feedAfter;
  }

  async connect(): Promise<void> {
    const sessionId = this.#sessionId;
    const { lastSeq } = await recordOf(this.#store, sessionId);
    this.#feed = this.#feeds.open({
      sessionId,
      after: this.after,
      lastSeq,
      onItem: (item) => this.#take(item),
      onEnd: (end) => void this.ends.push(end),
    });
  }

  disconnect(): void {
    this.#feed?.close();
    this.#feed = null;
  }

  allow(items: number): void {
    this.allowance = items;
    this.#feed?.resume();
  }

  #take({ position, change }: FeedItem): boolean {
    if (position !== null) {
      this.after = Number(position);
      this.positions.push(this.after);
    }
    switch (change.type) {
      case "message":
        this.messages.set(change.message.id, change.message);
        break;
      case "delta": {
        const message = this.messages.get(change.messageId);
        if (message === undefined) {
          this.orphans.push(change.messageId);
          break;
        }
        const text = `${message.content["text"] as string}${change.text}`;
        this.messages.set(message.id, { ...message, content: { ...message.content, text } });
        break;
      }
      case "run":
        this.runs.set(change.run.id, change.run);
        break;
      case "suspension":
        this.suspensions.set(change.suspension.id, change.suspension);
        break;
      case "queue":
        this.queue = change.queue;
        break;
      case "session":
        this.session = change.session;
        break;
      default:
        break;
    }
    this.allowance -= 1;
    return this.allowance > 0;
  }

  get transcript(): readonly Message[] {
    return [...this.messages.values()].toSorted((a, b) => a.seq - b.seq);
  }

  get state(): unknown {
    return {
      session: this.session,
      queue: this.queue,
      messages: this.transcript,
      runs: [...this.runs.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    };
  }
}

export async function recordOf(store: Store, sessionId: string): Promise<SessionSnapshot> {
  const read = await store.readSession(sessionId);
  if (read.found !== "session") throw new Error("no session");
  return read.record;
}
