import type { CallOptions } from "./connection.ts";
import { backoffMs, type Backoff } from "./helpers.ts";

/** How a stream reconnects, and the clock it uses. */
export interface Reconnecting extends Backoff {
  /** Servers send something every 15 seconds; after this long without a byte the connection is dead. */
  readonly silentMs: number;
  readonly now: () => number;
  /** Schedules a callback and returns a function that cancels it. */
  readonly later: (ms: number, callback: () => void) => () => void;
}

export const RECONNECTING: Reconnecting = {
  firstMs: 200,
  maxMs: 5_000,
  silentMs: 45_000,
  now: Date.now,
  random: Math.random,
  later: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** The longest delay a server can ask for. */
const MAX_RETRY_AFTER_MS = 60_000;

export function reconnectDelayMs({
  failures,
  retryAfterMs,
  reconnecting,
}: {
  failures: number;
  /** The delay the server asked for with `retry:` or `Retry-After`. */
  retryAfterMs: number;
  reconnecting: Reconnecting;
}): number {
  return Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) + backoffMs(failures, reconnecting);
}

export function pause(
  ms: number,
  { signal, reconnecting }: CallOptions & { reconnecting: Reconnecting },
): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = reconnecting.later(ms, end);
    signal?.addEventListener("abort", end);
  });
}
