export interface Paced {
  /** Acts now, or once at the end of the current interval. */
  ask(): void;
  stop(): void;
}

/** Throttles an action: the first request acts at once, further ones at most once per interval. */
export function atMostEvery(everyMs: number, act: () => void): Paced {
  let waiting: ReturnType<typeof setTimeout> | null = null;
  let isWanted = false;
  const run = (): void => {
    isWanted = false;
    waiting = setTimeout(() => {
      waiting = null;
      if (isWanted) run();
    }, everyMs);
    act();
  };
  return {
    ask: () => {
      if (waiting === null) run();
      else isWanted = true;
    },
    stop: () => {
      if (waiting !== null) clearTimeout(waiting);
      isWanted = false;
    },
  };
}
