import { createStore, type Store } from "./store.ts";

/** Whether what is shown is kept up to date. */
export type ConnectionState =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  /** The stream broke, or could not be opened; it is tried again at `retryAt`. */
  | { readonly kind: "waiting"; readonly retryAt: number; readonly failures: number }
  /** The server said no for good. */
  | { readonly kind: "refused"; readonly reason: string };

export type ConnectionStore = Store<ConnectionState>;

export function createConnectionStore(): ConnectionStore {
  return createStore<ConnectionState>({ kind: "connecting" });
}
