const TICK_MS = 30_000;

export function everyTick(changed: () => void): () => void {
  const timer = setInterval(changed, TICK_MS);
  return () => clearInterval(timer);
}

/** The time, rounded so that it stays the same between two ticks. */
export function currentTick(): number {
  return Math.floor(Date.now() / TICK_MS) * TICK_MS;
}
