import { statSync } from "node:fs";
import { StorageFault } from "../../storage/fault.ts";
import { openMigrations, openStore } from "../../storage/open-store.ts";
import type { Store } from "../../storage/store.ts";
import { reasonInUse } from "../desk/served-database.ts";
import type { DataSettings } from "../settings/settings.ts";

/**
 * The database as it is, whether or not a server runs; null when there is none yet, since a hook makes none. One of
 * an older version is migrated, unless a server still works with it.
 */
export async function openHookStore(
  settings: DataSettings,
  { busyTimeoutMs }: { readonly busyTimeoutMs: number },
): Promise<Store | null> {
  const { database } = settings;
  if (database.engine === "sqlite" && !isThere(database.file)) return null;
  const open = (): Promise<Store> =>
    openStore(database, { clock: Date.now, ownThread: false, busyTimeoutMs });
  try {
    return await open();
  } catch (error) {
    const isOld = error instanceof StorageFault && error.code === "schema_too_old";
    if (!isOld || database.engine !== "sqlite" || (await reasonInUse(settings)) !== null)
      throw error;
    await (await openMigrations(database)).up();
    return open();
  }
}

function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    throw new StorageFault("database_unavailable", `The database ${file} cannot be reached.`, {
      cause,
    });
  }
}
