import type { RuntimeContext } from "../context.ts";
import { expireSuspensions } from "../permissions/expire-suspensions.ts";

const LOOK_AGAIN_MS = 1_000;

/** Timers cannot be set further ahead. The session is looked at again then. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** What a worker does later, unless it looks at its session before: each look clears the timers. */
export class LookTimers {
  readonly #context: RuntimeContext;
  readonly #sessionId: string;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(context: RuntimeContext, sessionId: string) {
    this.#context = context;
    this.#sessionId = sessionId;
  }

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

  /** Closes suspensions that expire at this time. */
  expireAt(until: number | null, onExpired: () => void): void {
    if (until === null) return;
    const delayMs = Math.max(0, until - this.#context.clock());
    const expire = (): Promise<void> => expireSuspensions(this.#context, this.#sessionId);
    this.after(delayMs, () => void expire().finally(onExpired));
  }

  /** Clears the others. The nudge may reach another worker. */
  lookLater(): void {
    this.clear();
    this.after(LOOK_AGAIN_MS, () => this.#context.nudge(this.#sessionId, { hasChanged: true }));
  }
}
