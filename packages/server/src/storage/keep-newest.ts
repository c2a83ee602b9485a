/** A cache with a limit. It drops the least recently used entry. */
export function keepNewest<Key, Value>(limit: number) {
  const kept = new Map<Key, Value>();
  return {
    get: (key: Key): Value | undefined => {
      const value = kept.get(key);
      if (value === undefined) return undefined;
      kept.delete(key);
      kept.set(key, value);
      return value;
    },
    set: (key: Key, value: Value): void => {
      kept.delete(key);
      kept.set(key, value);
      const [oldest] = kept.keys();
      if (kept.size > limit && oldest !== undefined) kept.delete(oldest);
    },
  };
}
