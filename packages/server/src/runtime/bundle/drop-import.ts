import { setImmediate } from "node:timers/promises";
import type { Arrival } from "../../storage/arrival.ts";
import type { Store } from "../../storage/store.ts";

/** Removes what an import has stored, in parts, so that others can write between them. */
export async function dropImport(
  store: Store,
  arrival: Arrival,
  signal?: AbortSignal,
): Promise<void> {
  while (signal?.aborted !== true && !(await store.dropImport(arrival))) await setImmediate();
}

/** Removes what imports have left whose process died. */
export async function dropLeftImports(store: Store, signal: AbortSignal): Promise<void> {
  for (const arrival of await store.leftImports()) await dropImport(store, arrival, signal);
}
