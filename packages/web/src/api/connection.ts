import type { Store } from "./store.ts";

/** Whether the page receives changes. */
export type ConnectionState =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  /** The stream broke or could not be opened; the next attempt is at `retryAt`. */
  | { readonly kind: "waiting"; readonly retryAt: number; readonly failures: number }
  /** The server refused permanently. */
  | { readonly kind: "refused"; readonly reason: string };

export type ConnectionStore = Store<ConnectionState>;
