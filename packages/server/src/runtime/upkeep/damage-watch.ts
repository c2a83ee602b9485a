import type { Log } from "../log.ts";
import { sleep } from "../sleep.ts";

/** Checks the database for damage from time to time. */
export interface DamageWatch {
  /** The damaged places that the last check found. */
  readonly damage: readonly string[];
  /** Checks now. Checks at the same time are one. */
  check(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export interface DamageWatchOptions {
  readonly findDamage: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly log: Log;
  readonly onDamage: (damage: readonly string[]) => void;
  /** The server is busy at its start. */
  readonly afterMs?: number;
  readonly everyMs?: number;
}

const AFTER_MS = 60_000;
const EVERY_MS = 24 * 3_600_000;

export function startDamageWatch(options: DamageWatchOptions): DamageWatch {
  const { findDamage, log, onDamage, afterMs = AFTER_MS, everyMs = EVERY_MS } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let damage: readonly string[] = [];
  let checking: Promise<readonly string[]> | null = null;
  const checkOnce = async (): Promise<readonly string[]> => {
    damage = await findDamage(signal);
    if (damage.length > 0) onDamage(damage);
    return damage;
  };
  const check = (): Promise<readonly string[]> =>
    (checking ??= checkOnce().finally(() => {
      checking = null;
    }));
  const watch = async (): Promise<void> => {
    await sleep(afterMs, signal);
    while (!signal.aborted) {
      try {
        await check();
      } catch (err) {
        if (!signal.aborted) log.error({ err }, "the database could not be checked for damage");
      }
      await sleep(everyMs, signal);
    }
  };
  const done = watch();
  return {
    get damage() {
      return damage;
    },
    check,
    stop: () => {
      stopping.abort();
      return done;
    },
  };
}
