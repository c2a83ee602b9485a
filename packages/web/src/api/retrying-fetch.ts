import { backoffMs } from "@holdfast/client";
import type { ConnectionStore } from "./connection.ts";

export interface Waiting {
  readonly now: () => number;
  readonly random: () => number;
  /** Resolves after the time, when woken, or when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal | null) => Promise<void>;
}

/**
 * A fetch for the stream that decides whether the page is live. It retries until the stream opens or the server
 * refuses, publishes the time of the next attempt, and notices when the stream ends.
 */
export function createRetryingFetch({
  send,
  connection,
  waiting,
}: {
  readonly send: typeof fetch;
  readonly connection: ConnectionStore;
  readonly waiting: Waiting;
}): typeof fetch {
  let failures = 0;
  return async (input, init) => {
    const signal = init?.signal ?? null;
    for (;;) {
      connection.set({ kind: "connecting" });
      const response = await attempt(() => send(input, init), signal);
      if (response !== null && response.status < 500) {
        failures = 0;
        if (!response.ok) return response;
        connection.set({ kind: "live" });
        return watched(response, () => {
          if (signal?.aborted !== true) connection.set({ kind: "connecting" });
        });
      }
      failures += 1;
      const delayMs = delayAfter(failures, waiting.random);
      connection.set({ kind: "waiting", retryAt: waiting.now() + delayMs, failures });
      await waiting.pause(delayMs, signal);
      signal?.throwIfAborted();
    }
  };
}

/** The pause after the first failure, the second and so on. */
export function delayAfter(failures: number, random: () => number): number {
  return backoffMs(failures - 1, { firstMs: 500, maxMs: 15_000, random });
}

async function attempt(
  work: () => Promise<Response>,
  signal: AbortSignal | null,
): Promise<Response | null> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return null;
  }
}

function watched(response: Response, onEnd: () => void): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) return response;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        onEnd();
        controller.close();
      } catch (error) {
        onEnd();
        controller.error(error);
      }
    },
    cancel: (reason) => {
      onEnd();
      return reader.cancel(reason);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

export interface PageWaiting extends Waiting {
  /** Ends all pauses. */
  wake(): void;
}

/** Pauses that end early when the network returns, the page becomes visible, or `wake` is called. */
export function createWaiting(page: Window): PageWaiting {
  const wakers = new Set<() => void>();
  const wake = (): void => {
    for (const waker of wakers) waker();
  };
  page.addEventListener("online", wake);
  page.document.addEventListener("visibilitychange", () => {
    if (page.document.visibilityState === "visible") wake();
  });
  return {
    now: Date.now,
    random: Math.random,
    wake,
    pause: (ms, signal) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          wakers.delete(end);
          signal?.removeEventListener("abort", end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        wakers.add(end);
        signal?.addEventListener("abort", end);
      }),
  };
}
