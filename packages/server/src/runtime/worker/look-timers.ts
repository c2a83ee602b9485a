/** Timers cannot be set further ahead. The session is looked at again then. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** What a worker does later, unless it looks at its session before: each look clears the timers. */
export class LookTimers {
  readonly #timers = new Set<NodeJS.Timeout>();

  get isEmpty(): boolean {
    return this.#timers.size === 0;
  }

  after(delayMs: number, act: () => void): void {
    this.#timers.add(setTimeout(act, Math.min(delayMs, MAX_DELAY_MS)).unref());
  }

  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
