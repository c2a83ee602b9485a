/** A timeout that does not count the time in which this process stood still. */
export interface AwakeTimer {
  /** The full time is left again. Cheap enough to call for every message. */
  restart(): void;
  stop(): void;
}

/** A pause costs at most one such step of the time. */
const STEP_MS = 1_000;
/**
 * A step that ends this much later than planned was interrupted by a pause of the process, the virtual machine or the
 * computer. It does not count, so that input that arrived during the pause is read before the time is up.
 */
const LATE_MS = 1_000;

/**
 * Calls back when the process has run for this long since the start or restart. `SIGSTOP` and a paused virtual machine
 * make every timer late, and on some systems a sleeping computer does too.
 */
export function startAwakeTimer(
  ms: number,
  onElapsed: () => void,
  { keepsProcess = true }: { readonly keepsProcess?: boolean } = {},
): AwakeTimer {
  let leftMs = ms;
  let countedFrom = performance.now();
  let timer: NodeJS.Timeout;
  const step = (): void => {
    const plannedMs = Math.min(leftMs, STEP_MS);
    const plannedEnd = performance.now() + plannedMs;
    timer = setTimeout(() => {
      const now = performance.now();
      const isLate = now - plannedEnd > LATE_MS;
      if (!isLate) leftMs -= Math.min(plannedMs, now - countedFrom);
      countedFrom = now;
      // Timers may fire a fraction of a millisecond early.
      if (leftMs < 1 && !isLate) onElapsed();
      else step();
    }, plannedMs);
    if (!keepsProcess) timer.unref();
  };
  step();
  return {
    restart() {
      leftMs = ms;
      countedFrom = performance.now();
    },
    stop: () => clearTimeout(timer),
  };
}
