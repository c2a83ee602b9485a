import { setTimeout as pause } from "node:timers/promises";
import { backoffMs } from "../../domain/backoff.ts";
import type { AgentFault } from "../../providers/provider.ts";

const MAX_PAUSE_MS = 60_000;

/** Pauses for as long as the provider asked for, else longer with each try. The signal ends the pause. */
export async function pauseBefore(
  tries: number,
  {
    fault,
    firstMs,
    signal,
  }: { readonly fault: AgentFault; readonly firstMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const random = Math.random();
  const ownMs = backoffMs(tries, { firstMs, maxMs: MAX_PAUSE_MS, random });
  const pauseMs = Math.min(fault.retryAfterMs ?? ownMs, MAX_PAUSE_MS);
  await pause(pauseMs, undefined, { signal }).catch(() => {});
}
