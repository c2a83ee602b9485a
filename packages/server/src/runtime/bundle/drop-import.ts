import { setImmediate } from "node:timers/promises";
import type { Staging } from "../../storage/ports/import-store.ts";
import type { Store } from "../../storage/store.ts";

/** Removes what an import has stored, in parts, so that others can write between them. */
export async function dropImport(
  store: Store,
  staging: Staging,
  signal?: AbortSignal,
): Promise<void> {
  while (signal?.aborted !== true && !(await store.dropImport(staging))) await setImmediate();
}

/** Removes what imports have left whose process died. */
export async function dropLeftImports(store: Store, signal: AbortSignal): Promise<void> {
  for (const staging of await store.abandonedImports()) await dropImport(store, staging, signal);
}
