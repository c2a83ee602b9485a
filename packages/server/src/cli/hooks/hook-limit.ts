import { readFileSync } from "node:fs";
import { cpus } from "node:os";

/** How long a hook may take. */
export interface HookLimit {
  /** Resolves when its time is over. */
  readonly over: Promise<void>;
  /** How long may be waited for others who use the database. */
  leftMs(): number;
  stop(): void;
}

const TICK_MS = 100;
/** So many that want a processor, for each there is, are usual; more than that, and everything takes longer. */
const USUAL_CROWD = 8;
/** Where a machine is overrun, whoever holds the database gets few turns too, and the last of a thousand waits for all of them. */
const LEFT_IN_A_CROWD_MS = 300_000;

/**
 * Counted in steps that this process gets to make, and the less each the more the machine is overrun: when an
 * orchestrator calls a thousand hooks at once, none of them gives up because its turn has not come.
 */
export function startLimit(limitMs: number, share: () => number = shareNow): HookLimit {
  let left = limitMs;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setInterval(() => {
      left -= TICK_MS * share();
      if (left <= 0) resolve();
    }, TICK_MS);
  });
  return {
    over,
    leftMs: () => (share() < 1 ? LEFT_IN_A_CROWD_MS : Math.max(0, left)),
    stop: () => clearInterval(timer),
  };
}

/** Linux says how many want a processor now; elsewhere everything is taken to be as usual. */
function shareNow(): number {
  try {
    return shareOf(readFileSync("/proc/loadavg", "utf8"), cpus().length);
  } catch {
    return 1;
  }
}

/** From 1, where there is room for all, towards 0. */
export function shareOf(loadavg: string, processors: number): number {
  const running = Number(/ (\d+)\/\d+ /u.exec(loadavg)?.[1] ?? 0);
  return Math.min(1, (USUAL_CROWD * Math.max(1, processors)) / Math.max(1, running));
}
