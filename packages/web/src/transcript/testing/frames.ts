import type { Frames } from "../commit-clock.ts";

/** Frames that come when told to, at once. */
export function framesOnDemand(): { readonly frames: Frames; readonly next: () => void } {
  let now = 0;
  let lastId = 0;
  const waiting = new Map<number, () => void>();
  const add = (callback: () => void): number => {
    lastId += 1;
    waiting.set(lastId, callback);
    return lastId;
  };
  const remove = (id: number): void => void waiting.delete(id);
  return {
    frames: {
      now: () => now,
      requestFrame: add,
      cancelFrame: remove,
      setTimer: add,
      clearTimer: remove,
    },
    /** All that waits, timers and the frames they ask for. */
    next() {
      for (let round = 0; round < 3; round += 1) {
        now += 100;
        const due = [...waiting.values()];
        waiting.clear();
        for (const run of due) run();
      }
    },
  };
}
