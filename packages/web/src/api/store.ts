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

export function createListeners() {
  const listeners = new Set<() => void>();
  return {
    add(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    notify(): void {
      for (const listener of listeners) listener();
    },
  };
}

export function createKeyedListeners() {
  const byKey = new Map<string, ReturnType<typeof createListeners> & { count: number }>();
  return {
    add(key: string, listener: () => void): () => void {
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
    notify: (key: string): void => byKey.get(key)?.notify(),
  };
}
