import { ConnectionError, HoldfastError } from "@holdfast/client";
import type { Later } from "./terminal.ts";

export interface Persistence {
  readonly giveUpMs: number;
  readonly later: Later;
  readonly signal: AbortSignal;
  /** Said once, before it is tried again. */
  readonly onBroken: () => void;
}

const FIRST_MS = 200;
const MOST_MS = 5_000;

/** Does again what may safely be done twice, as long as the server cannot be reached and there is time left. */
export async function persist<Result>(
  work: (options: { readonly signal: AbortSignal }) => Promise<Result>,
  { giveUpMs, later, signal, onBroken }: Persistence,
): Promise<Result> {
  let waitedMs = 0;
  for (let delayMs = FIRST_MS; ; delayMs = Math.min(MOST_MS, delayMs * 2)) {
    try {
      return await work({ signal });
    } catch (error) {
      if (!isPassing(error) || waitedMs >= giveUpMs) throw error;
    }
    if (waitedMs === 0) onBroken();
    waitedMs += delayMs;
    await pause(delayMs, { later, signal });
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof HoldfastError) return error.status === 503;
  return error instanceof ConnectionError;
}

async function pause(
  ms: number,
  { later, signal }: Pick<Persistence, "later" | "signal">,
): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<void>();
  const callOff = later(ms, resolve);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  callOff();
  signal.throwIfAborted();
}
