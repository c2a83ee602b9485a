export interface Listeners {
  add(listener: () => void): () => void;
  tell(): void;
}

export function createListeners(): Listeners {
  const listeners = new Set<() => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell() {
      for (const listener of listeners) listener();
    },
  };
}

export interface KeyedListeners {
  add(key: string, listener: () => void): () => void;
  tell(key: string): void;
}

export function createKeyedListeners(): KeyedListeners {
  const byKey = new Map<string, Listeners & { count: number }>();
  return {
    add(key, listener) {
      const listeners = byKey.get(key) ?? { ...createListeners(), count: 0 };
      byKey.set(key, listeners);
      listeners.count += 1;
      const remove = listeners.add(listener);
      return () => {
        remove();
        listeners.count -= 1;
        if (listeners.count === 0 && byKey.get(key) === listeners) byKey.delete(key);
      };
    },
    tell: (key) => byKey.get(key)?.tell(),
  };
}
