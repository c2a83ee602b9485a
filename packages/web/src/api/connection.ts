import { useSyncExternalStore } from "react";

/** Whether what is shown is kept up to date. */
export type ConnectionState =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  /** The stream broke, or could not be opened; it is tried again at `retryAt`. */
  | { readonly kind: "waiting"; readonly retryAt: number; readonly failures: number }
  /** The server said no for good. */
  | { readonly kind: "refused"; readonly reason: string };

export interface ConnectionStore {
  current(): ConnectionState;
  subscribe(changed: () => void): () => void;
  set(state: ConnectionState): void;
}

export function createConnectionStore(): ConnectionStore {
  const listeners = new Set<() => void>();
  let state: ConnectionState = { kind: "connecting" };
  return {
    current: () => state,
    subscribe: (changed) => {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    set: (next) => {
      state = next;
      for (const listener of listeners) listener();
    },
  };
}

export function useConnectionState(store: ConnectionStore): ConnectionState {
  return useSyncExternalStore(store.subscribe, store.current);
}
