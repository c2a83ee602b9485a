import { setTimeout as pause } from "node:timers/promises";
import type { AgentFault } from "../../providers/provider.ts";

const MAX_PAUSE_MS = 60_000;

/** A pause that grows with each try, or as long as the other side asked for; cut short by the signal. */
export async function pauseBefore(
  tries: number,
  {
    fault,
    firstMs,
    signal,
  }: { readonly fault: AgentFault; readonly firstMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const grownMs = firstMs * 2 ** tries * (0.75 + Math.random() / 2);
  const pauseMs = Math.min(fault.retryAfterMs ?? grownMs, MAX_PAUSE_MS);
  await pause(pauseMs, undefined, { signal }).catch(() => {});
}
