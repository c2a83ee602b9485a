export interface Paced {
  /** Does it now, or as soon as it is due again; however often it is asked for meanwhile, once. */
  ask(): void;
  stop(): void;
}

/** Something that is done at once when it is wanted, but not more often than once in so many milliseconds. */
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
