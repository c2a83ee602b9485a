import type { CallOptions } from "./connection.ts";

/** How a stream comes back after a break, and what it needs for that. */
export interface Reconnecting {
  readonly firstMs: number;
  readonly mostMs: number;
  /** Servers show every 15 seconds that they live; after this long without a byte they do not. */
  readonly silentMs: number;
  readonly now: () => number;
  readonly random: () => number;
  /** Calls back later; returns how to call that off. */
  readonly later: (ms: number, callback: () => void) => () => void;
}

export const RECONNECTING: Reconnecting = {
  firstMs: 200,
  mostMs: 5_000,
  silentMs: 45_000,
  now: Date.now,
  random: Math.random,
  later: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** Whatever a server asks for, a stream does not stay away longer. */
const MAX_ASKED_MS = 60_000;

/** Longer with each failure, and by chance: clients of a server that restarts do not all come at once. */
export function reconnectDelayMs({
  failures,
  askedMs,
  reconnecting: { firstMs, mostMs, random },
}: {
  failures: number;
  /** What the server asked for, as `retry:` or `Retry-After`. */
  askedMs: number;
  reconnecting: Reconnecting;
}): number {
  const ceiling = Math.min(mostMs, firstMs * 2 ** failures);
  return Math.min(askedMs, MAX_ASKED_MS) + ceiling * (0.5 + random() / 2);
}

export function pause(
  ms: number,
  { signal, reconnecting }: CallOptions & { reconnecting: Reconnecting },
): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      callOff();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const callOff = reconnecting.later(ms, end);
    signal?.addEventListener("abort", end);
  });
}
