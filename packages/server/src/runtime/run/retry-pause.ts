import { setTimeout as pause } from "node:timers/promises";
import { backoffMs } from "../../domain/backoff.ts";
import type { AgentFault } from "../../providers/provider.ts";

const MAX_PAUSE_MS = 60_000;

/** Pauses for as long as the provider asked for, else longer with each try. The signal ends the pause. */
export async function pauseBefore(
  tries: number,
  { retryAfterMs }: AgentFault,
  firstMs: number,
  signal: AbortSignal,
): Promise<void> {
  const ownMs = backoffMs(tries, { firstMs, maxMs: MAX_PAUSE_MS, random: Math.random() });
  const pauseMs = Math.min(retryAfterMs ?? ownMs, MAX_PAUSE_MS);
  await pause(pauseMs, undefined, { signal }).catch(() => {});
}
