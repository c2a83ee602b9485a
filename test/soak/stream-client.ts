import { get, type IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { ClientKind } from "./load-messages.ts";
import { parseBlock, type Block } from "./stream-sequence.ts";
import { BEARER } from "../../packages/server/src/http/testing/server-token.ts";

/** A slow client reads what is available, and then pauses for this time. */
const SLOW_MS = 3_000;
const RETURNS_AFTER_MS = 2_000;
const RECONNECT_MS = 100;
const CONNECTED_WITHIN_MS = 120_000;

export interface StreamClient {
  readonly isOpen: boolean;
  /** From now on reads without pauses. */
  hurry(): void;
  stop(): Promise<void>;
}

export interface StreamClientOptions {
  readonly url: string;
  readonly kind: ClientKind;
  /** The event ID from which it continues. */
  readonly lastId: () => string | null;
  readonly onBlock: (block: Block) => void;
  readonly onOpen: () => void;
  /** The server closed the connection. */
  readonly onDropped: () => void;
  /** The connection failed. */
  readonly onRefused: (why: string) => void;
  readonly onReturned: () => void;
}

/** Parses the stream itself, so that no library hides an error, and reconnects after every disconnection. */
export function openStreamClient(options: StreamClientOptions): StreamClient {
  const stopped = new AbortController();
  const hurry = new AbortController();
  let response: IncomingMessage | null = null;
  let isLeaving = false;

  const readConnection = async (): Promise<void> => {
    const opened = await openStream(options.url, {
      lastId: options.lastId(),
      signal: stopped.signal,
    });
    if (typeof opened === "string") {
      if (!stopped.signal.aborted) options.onRefused(opened);
      return;
    }
    response = opened;
    options.onOpen();
    const disconnectTimer = scheduleDisconnect(options.kind, () => {
      if (hurry.signal.aborted) return;
      isLeaving = true;
      response?.destroy();
    });
    try {
      let rest = "";
      for await (const chunk of response.setEncoding("utf8")) {
        const blocks = (rest + String(chunk)).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const text of blocks) {
          const block = parseBlock(text);
          if (block !== null) options.onBlock(block);
        }
        if (options.kind !== "slow" || hurry.signal.aborted) continue;
        const signal = AbortSignal.any([stopped.signal, hurry.signal]);
        await pause(SLOW_MS, undefined, { signal }).catch(() => {});
      }
    } catch {
      // Disconnected. Incomplete events are sent again.
    } finally {
      clearTimeout(disconnectTimer);
      response = null;
      if (!isLeaving && !stopped.signal.aborted) options.onDropped();
    }
  };

  const work = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await readConnection();
      if (stopped.signal.aborted) return;
      if (isLeaving) options.onReturned();
      else await pause(RECONNECT_MS);
      isLeaving = false;
    }
  };
  const working = work();
  return {
    get isOpen() {
      return response !== null;
    },
    hurry: () => hurry.abort(),
    stop: async () => {
      stopped.abort();
      response?.destroy();
      await working;
    },
  };
}

function scheduleDisconnect(kind: ClientKind, leave: () => void): NodeJS.Timeout | undefined {
  if (kind !== "returning") return undefined;
  return setTimeout(leave, RETURNS_AFTER_MS * (1 + 2 * Math.random()));
}

/** Resolves to the stream, or to the reason why there is none. */
function openStream(
  url: string,
  { lastId, signal }: { readonly lastId: string | null; readonly signal: AbortSignal },
): Promise<IncomingMessage | string> {
  return new Promise((resolve) => {
    const request = get(url, {
      agent: false,
      headers: {
        accept: "text/event-stream",
        ...BEARER,
        ...(lastId === null ? {} : { "last-event-id": lastId }),
      },
    });
    const timer = setTimeout(() => request.destroy(new Error("no answer")), CONNECTED_WITHIN_MS);
    const giveUp = (): void => void request.destroy();
    signal.addEventListener("abort", giveUp, { once: true });
    request.once("error", (error) => resolve(String(error)));
    request.once("close", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      resolve("closed");
    });
    request.once("response", (response) => {
      clearTimeout(timer);
      if (response.statusCode === 200) return resolve(response);
      response.resume();
      return resolve(`status ${response.statusCode}`);
    });
  });
}
