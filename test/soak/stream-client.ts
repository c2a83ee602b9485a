import { get, type IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { ClientKind } from "./load-messages.ts";
import { parseBlock, type Block } from "./stream-sequence.ts";

/** A slow client takes what is there, and then nothing for so long. */
const SLOW_MS = 3_000;
const RETURNS_AFTER_MS = 2_000;
const RECONNECT_MS = 100;
const CONNECTED_WITHIN_MS = 120_000;

export interface StreamClient {
  readonly isOpen: boolean;
  /** From now on it reads all the time. */
  hurry(): void;
  stop(): Promise<void>;
}

export interface StreamClientOptions {
  readonly url: string;
  readonly kind: ClientKind;
  /** With which id it goes on. */
  readonly lastId: () => string | null;
  readonly onBlock: (block: Block) => void;
  readonly onOpen: () => void;
  /** It was let go without having asked for it. */
  readonly onDropped: () => void;
  /** It could not come in. */
  readonly onRefused: (why: string) => void;
  readonly onReturned: () => void;
}

/** Reads the bytes of a stream itself, so that nothing is set right on the way, and goes on after every break. */
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
    const leaving = leavesAfter(options.kind, () => {
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
      // Cut off; what was not whole comes again.
    } finally {
      clearTimeout(leaving);
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

function leavesAfter(kind: ClientKind, leave: () => void): NodeJS.Timeout | undefined {
  if (kind !== "returning") return undefined;
  return setTimeout(leave, RETURNS_AFTER_MS * (1 + 2 * Math.random()));
}

/** The reason when there is nobody, or what comes is not a stream. */
function openStream(
  url: string,
  { lastId, signal }: { readonly lastId: string | null; readonly signal: AbortSignal },
): Promise<IncomingMessage | string> {
  return new Promise((resolve) => {
    const request = get(url, {
      agent: false,
      headers: {
        accept: "text/event-stream",
        ...(lastId === null ? {} : { "last-event-id": lastId }),
      },
    });
    const late = setTimeout(() => request.destroy(new Error("no answer")), CONNECTED_WITHIN_MS);
    const giveUp = (): void => void request.destroy();
    signal.addEventListener("abort", giveUp, { once: true });
    request.once("error", (error) => resolve(String(error)));
    request.once("close", () => {
      clearTimeout(late);
      signal.removeEventListener("abort", giveUp);
      resolve("closed");
    });
    request.once("response", (response) => {
      clearTimeout(late);
      if (response.statusCode === 200) return resolve(response);
      response.resume();
      return resolve(`status ${response.statusCode}`);
    });
  });
}
