import { ConnectionError, HoldfastError } from "@holdfast/client";
import type { Later } from "./terminal.ts";

export interface Persistence {
  readonly giveUpMs: number;
  readonly later: Later;
  readonly signal: AbortSignal;
  /** Called once, before the first retry. */
  readonly onBroken: () => void;
}

const FIRST_MS = 200;
const MOST_MS = 5_000;

/** Retries idempotent work with backoff while the server cannot be reached, until `giveUpMs` have passed. */
export async function persist<Result>(
  work: (options: { readonly signal: AbortSignal }) => Promise<Result>,
  { giveUpMs, later, signal, onBroken }: Persistence,
): Promise<Result> {
  let waitedMs = 0;
  for (let delayMs = FIRST_MS; ; delayMs = Math.min(MOST_MS, delayMs * 2)) {
    try {
      return await work({ signal });
    } catch (error) {
      if (!isTemporary(error) || waitedMs >= giveUpMs) throw error;
    }
    if (waitedMs === 0) onBroken();
    waitedMs += delayMs;
    await pause(delayMs, { later, signal });
  }
}

function isTemporary(error: unknown): boolean {
  if (error instanceof HoldfastError) return error.status === 503;
  return error instanceof ConnectionError;
}

async function pause(
  ms: number,
  { later, signal }: Pick<Persistence, "later" | "signal">,
): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = later(ms, resolve);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  cancel();
  signal.throwIfAborted();
}
