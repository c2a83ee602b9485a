import { requireCurrentSchema } from "../migrations/migrate.ts";
import { portableStore, type StoreOptions } from "../portable-store.ts";
import type { Store } from "../store.ts";
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
  try {
    const wait = busyTimeoutMs === undefined ? {} : { busyTimeoutMs };
    const { db } = openSqliteConnection(file, { readOnly: true, ...wait });
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
    throw faultFromSqlite(error);
  }
}
