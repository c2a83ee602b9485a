export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** A number from 0 to 1. Jitter keeps callers that failed together from trying again together. */
  readonly random: number;
}

/** The pause after a number of failures: it doubles with each one, up to `maxMs`, and is shortened by up to half. */
export function backoffMs(failures: number, { firstMs, maxMs, random }: Backoff): number {
  return Math.min(maxMs, firstMs * 2 ** failures) * (0.5 + random / 2);
}
