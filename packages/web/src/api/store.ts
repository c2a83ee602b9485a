import { useSyncExternalStore } from "react";

/** A value outside of React that tells its subscribers when it changes. */
export interface Store<Value> {
  current(): Value;
  set(next: Value): void;
  subscribe(changed: () => void): () => void;
}

export function createStore<Value>(initial: Value): Store<Value> {
  const listeners = createListeners();
  let value = initial;
  return {
    current: () => value,
    set: (next) => {
      value = next;
      listeners.notify();
    },
    subscribe: listeners.add,
  };
}

export function useStore<Value>({
  subscribe,
  current,
}: Pick<Store<Value>, "current" | "subscribe">): Value {
  return useSyncExternalStore(subscribe, current);
}

export interface Listeners {
  add(listener: () => void): () => void;
  notify(): void;
}

export function createListeners(): Listeners {
  const listeners = new Set<() => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    notify() {
      for (const listener of listeners) listener();
    },
  };
}

export interface KeyedListeners {
  add(key: string, listener: () => void): () => void;
  notify(key: string): void;
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
    notify: (key) => byKey.get(key)?.notify(),
  };
}
