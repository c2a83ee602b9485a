import { statSync } from "node:fs";
import { StorageFault } from "../../storage/fault.ts";
import { openMigrations, openStore } from "../../storage/open-store.ts";
import type { Store } from "../../storage/store.ts";
import { reasonInUse } from "../gateway/served-database.ts";
import { databaseFile, type DataSettings } from "../settings/settings.ts";

/**
 * Opens the database beside a server or without one; null when there is none yet, since a hook creates none. An older
 * database is migrated, unless a server still uses it.
 */
export async function openHookStore(
  settings: DataSettings,
  { busyTimeoutMs }: { readonly busyTimeoutMs: number },
): Promise<Store | null> {
  const { database } = settings;
  const file = databaseFile(database);
  if (file !== null && !exists(file)) return null;
  const open = (): Promise<Store> =>
    openStore(database, { clock: Date.now, ownThread: false, busyTimeoutMs });
  try {
    return await open();
  } catch (error) {
    const isOld = error instanceof StorageFault && error.code === "schema_too_old";
    if (!isOld || file === null || (await reasonInUse(settings)) !== null) throw error;
    await (await openMigrations(database)).up();
    return open();
  }
}

function exists(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    throw new StorageFault("database_unavailable", `The database ${file} cannot be reached.`, {
      cause,
    });
  }
}
