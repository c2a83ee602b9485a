/** Timers that are cleared together. They do not keep the process alive. */
export class Timers {
  readonly #timers = new Set<NodeJS.Timeout>();

  get areSet(): boolean {
    return this.#timers.size > 0;
  }

  after(delayMs: number, act: () => void): void {
    this.#timers.add(setTimeout(act, Math.min(delayMs, MAX_DELAY_MS)).unref());
  }

  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}

/** Timers cannot be set further ahead. The session is looked at again then. */
const MAX_DELAY_MS = 2 ** 31 - 1;
