import { setImmediate } from "node:timers/promises";
import type { Staging } from "../../storage/ports/import-store.ts";
import type { Store } from "../../storage/store.ts";

/** Deletes the rows of an import in parts, so that other writes can run between them. */
export async function dropImport(
  store: Store,
  staging: Staging,
  signal?: AbortSignal,
): Promise<void> {
  while (signal?.aborted !== true && !(await store.dropImport(staging))) await setImmediate();
}

/** Deletes the rows of imports whose process died. */
export async function dropLeftImports(store: Store, signal: AbortSignal): Promise<void> {
  for (const staging of await store.abandonedImports()) await dropImport(store, staging, signal);
}
