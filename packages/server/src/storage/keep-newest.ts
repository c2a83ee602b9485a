/** A cache with a limit. It drops the least recently used entry. */
export function keepNewest<Key, Value>(limit: number) {
  const entries = new Map<Key, Value>();
  return {
    get: (key: Key): Value | undefined => {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set: (key: Key, value: Value): void => {
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > limit && oldest !== undefined) entries.delete(oldest);
    },
    delete: (key: Key): void => void entries.delete(key),
  };
}
