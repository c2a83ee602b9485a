import { readFileSync } from "node:fs";
import { cpus } from "node:os";

/** The time limit of a hook. */
export interface HookLimit {
  /** Resolves when the time is over. */
  readonly over: Promise<void>;
  /** How long to wait for a busy database. */
  leftMs(): number;
  stop(): void;
}

const TICK_MS = 100;
/** Runnable processes per processor up to which the machine counts as not overloaded. */
const NORMAL_LOAD = 8;
/** On an overloaded machine the holder of the database is slow too, and the last of a thousand hooks waits for all others. */
const OVERLOAD_MS = 300_000;

/**
 * Counts time in timer ticks of this process, without the time that it waited for a processor, and weighted by its share of
 * one. So a hook does not give up on an overloaded machine, for example when an orchestrator calls a thousand hooks at once.
 */
export function startLimit(
  limitMs: number,
  share: () => number = shareNow,
  waitedMs: () => number = waitedNow,
): HookLimit {
  let left = limitMs;
  let waited = waitedMs();
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setInterval(() => {
      const before = waited;
      waited = waitedMs();
      left -= Math.max(0, TICK_MS - (waited - before)) * share();
      if (left <= 0) resolve();
    }, TICK_MS);
  });
  return {
    over,
    leftMs: () => (share() < 1 ? OVERLOAD_MS : Math.max(0, left)),
    stop: () => clearInterval(timer),
  };
}

/** How long the main thread was ready to run and had no processor. Zero where the system does not tell. */
function waitedNow(): number {
  try {
    return waitedMsIn(readFileSync("/proc/self/schedstat", "utf8"));
  } catch {
    return 0;
  }
}

/** The second of three numbers, in nanoseconds. */
export function waitedMsIn(schedstat: string): number {
  return (Number(schedstat.split(" ")[1]) || 0) / 1e6;
}

/** Reads the number of runnable processes on Linux; other systems count as not overloaded. */
function shareNow(): number {
  try {
    return shareOf(readFileSync("/proc/loadavg", "utf8"), cpus().length);
  } catch {
    return 1;
  }
}

/** From 1 on a machine that is not overloaded, down to 0. */
export function shareOf(loadavg: string, processors: number): number {
  const running = Number(/ (\d+)\/\d+ /u.exec(loadavg)?.[1] ?? 0);
  return Math.min(1, (NORMAL_LOAD * Math.max(1, processors)) / Math.max(1, running));
}
