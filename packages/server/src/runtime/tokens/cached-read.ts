interface Reading<Value> {
  readonly at: number;
  readonly value: Promise<Value>;
}

export interface CachedRead<Value> {
  forget(): void;
  /** The value, at most this old. */
  read(ageMs: number): Promise<Value>;
}

/** Caches the last read. A failed one is not kept. */
export function cachedRead<Value>(
  load: () => Promise<Value>,
  clock: () => number,
): CachedRead<Value> {
  let last: Reading<Value> | null = null;
  const forget = (): void => {
    last = null;
  };
  /** A clock that was set back invalidates the cache. */
  const isFresh = ({ at }: Reading<Value>, ageMs: number): boolean =>
    clock() >= at && clock() - at < ageMs;
  return {
    forget,
    read: (ageMs) => {
      if (last !== null && isFresh(last, ageMs)) return last.value;
      const reading: Reading<Value> = { at: clock(), value: load() };
      last = reading;
      reading.value.catch(() => last === reading && forget());
      return reading.value;
    },
  };
}
