import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire, syncBuiltinESMExports } from "node:module";
import type { Random } from "../security/fuzz/random.ts";

/** Whose code runs: a node, or the world around the nodes. Nothing of a dead owner happens any more. */
export interface Owner {
  readonly name: string;
  isDead: boolean;
  /** A paused process does nothing before this time. */
  pausedUntil: number;
}

export const newOwner = (name: string): Owner => ({ name, isDead: false, pausedUntil: 0 });

interface Event {
  at: number;
  /** Decides between events of the same time. */
  readonly order: number;
  readonly owner: Owner | null;
  readonly act: () => void;
  isCancelled: boolean;
}

const START = Date.UTC(2030, 0, 1);
/** After all promise reactions that can run now: cheaper than a turn of the event loop, and nothing here waits for one. */
const afterReactions = process.nextTick;

/**
 * Virtual time and one queue of everything that will happen. Between two events all promise reactions run to their end, so
 * a seed decides the whole order. While it is installed, the timers, the clocks and `Math.random` of the process are its own.
 */
export class Timeline {
  readonly random: Random;
  readonly #owners = new AsyncLocalStorage<Owner | null>();
  readonly #events: Event[] = [];
  #now = START;
  /** Everything that happened, in order; printed when a law is broken. */
  readonly trace: string[] = [];

  readonly #keepsTrace: boolean;

  constructor(random: Random, options: { readonly keepsTrace: boolean }) {
    this.random = random;
    this.#keepsTrace = options.keepsTrace;
  }

  get now(): number {
    return this.#now;
  }

  get owner(): Owner | null {
    return this.#owners.getStore() ?? null;
  }

  /** Costs nothing without a trace. */
  note(line: string | (() => string)): void {
    if (!this.#keepsTrace) return;
    const at = ((this.#now - START) / 1000).toFixed(3).padStart(8);
    const who = (this.owner?.name ?? "-").padEnd(6);
    this.trace.push(`${at} ${who} ${typeof line === "string" ? line : line()}`);
  }

  /** Runs code as the owner's; timers and promise reactions that follow are the owner's too. */
  as<Result>(owner: Owner | null, act: () => Result): Result {
    return this.#owners.run(owner, act);
  }

  /** After the delay, unless the owner is dead by then. */
  after(delayMs: number, act: () => void, owner: Owner | null = this.owner): Event {
    const event: Event = {
      at: this.#now + Math.max(0, Math.round(delayMs)),
      order: this.random.next(),
      owner,
      act,
      isCancelled: false,
    };
    this.#push(event);
    return event;
  }

  wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.after(delayMs, resolve));
  }

  /** Lets everything happen until the condition holds. False when the time is over first. */
  async until(isSo: () => boolean, withinMs: number): Promise<boolean> {
    const end = this.#now + withinMs;
    await this.#settle();
    while (!isSo()) {
      const next = this.#pop();
      if (next === null || next.at > end) {
        if (next !== null) this.#push(next);
        this.#now = end;
        return false;
      }
      this.#now = Math.max(this.#now, next.at);
      this.as(next.owner, next.act);
      await this.#settle();
    }
    return true;
  }

  /** Replaces timers, clocks and chance of the process. Returns how to put them back. */
  install(): () => void {
    const timers: Record<string, unknown> = createRequire(import.meta.url)("node:timers/promises");
    const own = { setTimeout: timers["setTimeout"], setImmediate: timers["setImmediate"] };
    const before = {
      setTimeout,
      setInterval,
      clearTimeout,
      clearInterval,
      random: Math.random,
      dateNow: Date.now,
      timeout: AbortSignal.timeout,
    };
    Object.assign(timers, {
      setTimeout: (ms = 0, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
        this.#pause(ms, value, signal),
      setImmediate: (value?: unknown) => this.#pause(0, value),
    });
    syncBuiltinESMExports();
    const clear = (handle: unknown): void => {
      if (handle instanceof Handle) handle.clear();
    };
    Object.assign(globalThis, {
      setTimeout: (act: () => void, ms = 0) => new Handle((run) => this.after(ms, run), act, false),
      setInterval: (act: () => void, ms = 0) => new Handle((run) => this.after(ms, run), act, true),
      clearTimeout: clear,
      clearInterval: clear,
    });
    Math.random = () => this.random.next();
    Date.now = () => this.#now;
    performance.now = () => this.#now - START + 1;
    AbortSignal.timeout = (ms) => {
      const late = new AbortController();
      this.after(ms, () => late.abort());
      return late.signal;
    };
    return () => {
      Object.assign(timers, own);
      syncBuiltinESMExports();
      Object.assign(globalThis, {
        setTimeout: before.setTimeout,
        setInterval: before.setInterval,
        clearTimeout: before.clearTimeout,
        clearInterval: before.clearInterval,
      });
      Math.random = before.random;
      Date.now = before.dateNow;
      Reflect.deleteProperty(performance, "now");
      AbortSignal.timeout = before.timeout;
    };
  }

  #settle(): Promise<void> {
    return new Promise((resolve) => {
      afterReactions(resolve);
    });
  }

  #pause(ms: number, value: unknown, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(new DOMException("aborted", "AbortError"));
      const abort = (): void => {
        event.isCancelled = true;
        reject(new DOMException("aborted", "AbortError"));
      };
      const event = this.after(ms, () => {
        signal?.removeEventListener("abort", abort);
        resolve(value);
      });
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  /** The next event that really happens. */
  #pop(): Event | null {
    for (;;) {
      const event = this.#events.pop();
      if (event === undefined) return null;
      if (event.isCancelled || event.owner?.isDead === true) continue;
      const { pausedUntil = 0 } = event.owner ?? {};
      if (event.at >= pausedUntil) return event;
      event.at = pausedUntil;
      this.#push(event);
    }
  }

  /** Keeps the events sorted, the next one last. */
  #push(event: Event): void {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#events[middle];
      if (other !== undefined && isLater(other, event)) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, event);
  }
}

function isLater(a: Event, b: Event): boolean {
  return a.at === b.at ? a.order > b.order : a.at > b.at;
}

/** What `setTimeout` and `setInterval` return. */
class Handle {
  #event: Event;
  #isCleared = false;

  constructor(plan: (run: () => void) => Event, act: () => void, repeats: boolean) {
    const run = (): void => {
      if (repeats && !this.#isCleared) this.#event = plan(run);
      act();
    };
    this.#event = plan(run);
  }

  clear(): void {
    this.#isCleared = true;
    this.#event.isCancelled = true;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
