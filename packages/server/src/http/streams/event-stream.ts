import type { ServerResponse } from "node:http";
import type { Feed, FeedEnd, FeedItem, FeedReader } from "../../runtime/runtime.ts";

/** More than a short delay accumulates, less than a stalled client may cost. */
const MAX_UNSENT_BYTES = 256 * 1024;
const HEARTBEAT = Buffer.from(": \n\n");
const GREETING = Buffer.from("retry: 1000\n\n");

/** One client that reads a feed. If the client is slow, the feed pauses, so little is buffered here. */
export class EventStream implements FeedReader {
  readonly #response: ServerResponse;
  readonly #encode: (item: FeedItem) => Buffer;
  #feed: Feed | null = null;
  /** The items that came before the stream started. */
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
    // A disconnected client is not an error. The event `close` follows.
    response.on("error", () => {});
    response.on("drain", () => this.#continue());
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

  /** Sends the headers, then the items of the open feed. */
  start(feed: Feed, headers: Record<string, string | number | string[] | undefined>): void {
    this.#feed = feed;
    if (this.#isClosed) return feed.close();
    // The end of the connection ends the stream. Chunked encoding would cost as much as the events.
    this.#response.useChunkedEncodingByDefault = false;
    this.#response.writeHead(200, { ...headers, ...HEADERS });
    this.#write(GREETING);
    for (const item of this.#early.splice(0)) this.#write(this.#encode(item));
    if (this.#end !== null) return this.close();
    if (!this.#isBlocked) feed.resume();
  }

  /** Shows proxies and clients that the connection is alive. A blocked client still has data to read. */
  beat(): void {
    if (this.#feed !== null && !this.#isBlocked) this.#write(HEARTBEAT);
  }

  /** Written data still arrives, unless the client is blocked. */
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

  #continue(): void {
    this.#isBlocked = false;
    if (!this.#isClosed) this.#feed?.resume();
  }
}

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
  // The connection ends with the stream, so that the server can close without waiting for it.
  connection: "close",
} as const;
