import { backoffMs, ConnectionError, HoldfastError } from "@holdfast/client";

export interface Persisting {
  /** Ends the attempts: the editor has gone, or no longer wants the result. */
  readonly signal: AbortSignal;
  /** How long a server that does not answer is waited for. */
  readonly patienceMs: number;
}

const BACKOFF = { firstMs: 100, maxMs: 2_000, random: Math.random } as const;
const MAX_RETRY_AFTER_MS = 30_000;

/**
 * Repeats a call while the server does not answer, so that an editor sees a pause when the server restarts. A call that
 * writes needs an idempotency key, because an attempt may have taken effect without a reply.
 */
export async function persist<Result>(
  call: () => Promise<Result>,
  { signal, patienceMs }: Persisting,
): Promise<Result> {
  const giveUpAt = performance.now() + patienceMs;
  for (let failures = 0; ; failures++) {
    try {
      return await call();
    } catch (error) {
      const isOver = signal.aborted || performance.now() >= giveUpAt;
      if (isOver || !isPassing(error)) throw error;
      const asked = error instanceof HoldfastError ? (error.retryAfterMs ?? 0) : 0;
      await pause(Math.min(asked, MAX_RETRY_AFTER_MS) + backoffMs(failures, BACKOFF), signal);
    }
  }
}

/** Whether the same call may succeed after a while. */
function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof HoldfastError && (error.status === 429 || error.status === 503);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
