import type { ServerResponse } from "node:http";
import type { Feed, FeedEnd, FeedItem, FeedReader } from "../../runtime/runtime.ts";

/** More than what piles up within a moment, less than what a stalled client may cost. */
const MAX_UNSENT_BYTES = 256 * 1024;
const HEARTBEAT = Buffer.from(": \n\n");
const GREETING = Buffer.from("retry: 1000\n\n");

/** One client that reads a feed. Holds little for one that does not read: it is the feed that waits. */
export class EventStream implements FeedReader {
  readonly #response: ServerResponse;
  readonly #encode: (item: FeedItem) => Buffer;
  #feed: Feed | null = null;
  /** What came before it was known that there is a stream. */
  #early: FeedItem[] = [];
  #end: FeedEnd | null = null;
  #isBlocked = false;
  #isClosed = false;

  constructor(
    response: ServerResponse,
    { encode, onClose }: { encode: (item: FeedItem) => Buffer; onClose: () => void },
  ) {
    this.#response = response;
    this.#encode = encode;
    // A client that hangs up is no news; that it did comes as `close`.
    response.on("error", () => {});
    response.on("drain", () => this.#goOn());
    response.once("close", () => {
      this.#isClosed = true;
      this.#feed?.close();
      onClose();
    });
  }

  readonly onItem = (item: FeedItem): boolean => {
    if (this.#isClosed) return false;
    if (this.#feed !== null) return this.#write(this.#encode(item));
    this.#early.push(item);
    return false;
  };

  readonly onEnd = (end: FeedEnd): void => {
    this.#end = end;
    if (this.#feed !== null) this.close();
  };

  /** The feed is open: headers, then everything that comes. */
  start(feed: Feed, headers: Record<string, string | number | string[] | undefined>): void {
    this.#feed = feed;
    if (this.#isClosed) return feed.close();
    // Ended by the end of the connection: a chunk's frame around each event costs as much as the event.
    this.#response.useChunkedEncodingByDefault = false;
    this.#response.writeHead(200, { ...headers, ...HEADERS });
    this.#write(GREETING);
    for (const item of this.#early.splice(0)) this.#write(this.#encode(item));
    if (this.#end !== null) return this.close();
    if (!this.#isBlocked) feed.resume();
  }

  /** Shows proxies and clients that the connection lives; one that cannot take it is busy with more. */
  beat(): void {
    if (this.#feed !== null && !this.#isBlocked) this.#write(HEARTBEAT);
  }

  /** What has been written still arrives, unless the client does not take it. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#feed?.close();
    if (this.#isBlocked || !this.#response.headersSent) this.#response.destroy();
    else this.#response.end();
  }

  #write(bytes: Buffer): boolean {
    if (this.#isClosed) return false;
    const isDrained = this.#response.write(bytes);
    this.#isBlocked = !isDrained && this.#response.writableLength > MAX_UNSENT_BYTES;
    return !this.#isBlocked;
  }

  #goOn(): void {
    this.#isBlocked = false;
    if (!this.#isClosed) this.#feed?.resume();
  }
}

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
  // A stream is the last thing on its connection, so that closing the server waits for none.
  connection: "close",
} as const;
