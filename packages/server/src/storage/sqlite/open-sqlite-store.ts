import { requireCurrentSchema } from "../migrations/migrate.ts";
import { portableStore, type StoreOptions } from "../portable-store.ts";
import type { Store } from "../store.ts";
import type { Database } from "../tables.ts";
import { openSqliteConnection } from "./connection.ts";
import { faultFromSqlite } from "./faults.ts";
import { startWriter } from "./writer.ts";

export interface SqliteOptions extends StoreOptions {
  readonly file: string;
  /** How long a write waits for another process before it fails as `database_busy`. */
  readonly busyTimeoutMs?: number;
}

/** Reads on this thread, writes on one of their own: a slow disk stops no request that only reads. */
export async function openSqliteStore({
  file,
  busyTimeoutMs,
  ...options
}: SqliteOptions): Promise<Store> {
  const wait = busyTimeoutMs === undefined ? {} : { busyTimeoutMs };
  const db = openReader(file, wait);
  try {
    const schema = await requireCurrentSchema(db, { engine: "sqlite", failpoint: () => {} });
    const writer = startWriter({ file, ...wait });
    return portableStore({
      engine: "sqlite",
      db,
      write: writer.write,
      schema,
      options,
      translate: faultFromSqlite,
      close: async () => {
        await writer.close();
        await db.destroy();
      },
    });
  } catch (error) {
    await db.destroy();
    throw faultFromSqlite(error);
  }
}

function openReader(file: string, wait: { busyTimeoutMs?: number }): Database {
  try {
    return openSqliteConnection(file, { readOnly: true, ...wait }).db;
  } catch (error) {
    throw faultFromSqlite(error);
  }
}
