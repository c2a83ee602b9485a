import { setImmediate } from "node:timers/promises";
import type { Arrival } from "../../storage/arrival.ts";
import type { Store } from "../../storage/store.ts";

/** Deletes the rows of an import in parts, so that other writes can run between them. */
export async function dropImport(
  store: Store,
  arrival: Arrival,
  signal?: AbortSignal,
): Promise<void> {
  while (signal?.aborted !== true && !(await store.dropImport(arrival))) await setImmediate();
}

/** Deletes the rows of imports whose process died. */
export async function dropLeftImports(store: Store, signal: AbortSignal): Promise<void> {
  for (const arrival of await store.leftImports()) await dropImport(store, arrival, signal);
}
