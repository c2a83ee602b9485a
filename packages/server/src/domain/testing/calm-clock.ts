import { readFileSync } from "node:fs";

/** Less than the timeout of a test, so that a wait for something that never happens can tell what it waited for. */
const HUNG_MS = 240_000;

/**
 * A clock in milliseconds that stands still while any process waits for a processor. Promised times do not include
 * such waits. All processes of the machine read the same time. Where the kernel does not count these waits (only Linux
 * does), this is an ordinary clock.
 */
export function calmNow(): number {
  return performance.timeOrigin + performance.now() - stalledMs();
}

/** How long the work takes on the calm clock. */
export async function calmMsOf(work: PromiseLike<unknown>): Promise<number> {
  const begun = calmNow();
  await work;
  return calmNow() - begun;
}

/** Returns a function that tells whether this much time has passed on the calm clock, or the work hangs. */
export function calmDeadline(withinMs: number): () => boolean {
  const over = calmNow() + withinMs;
  const hung = performance.now() + Math.max(HUNG_MS, withinMs);
  return () => calmNow() > over || performance.now() > hung;
}

/** The time since the start of the machine in which some process waited for a processor. */
function stalledMs(): number {
  try {
    const pressure = readFileSync("/proc/pressure/cpu", "utf8");
    return Number(/^some .*total=(\d+)/mu.exec(pressure)?.[1] ?? 0) / 1_000;
  } catch {
    return 0;
  }
}
