import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { requireCurrentSchema } from "../migrations/migrate.ts";
import { portableStore } from "../portable-store.ts";
import type { Store } from "../store.ts";
import { openSqliteConnection } from "./connection.ts";
import { faultFromSqlite } from "./faults.ts";
import { startWriter } from "./writer.ts";

export interface SqliteOptions {
  readonly file: string;
  readonly clock: () => number;
  /** How long a write waits for another process before it fails as `database_busy`. */
  readonly busyTimeoutMs?: number;
}

/** Reads on this thread, writes on one of their own: a slow disk stops no request that only reads. */
export async function openSqliteStore({ file, clock, busyTimeoutMs }: SqliteOptions): Promise<Store> {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const wait = busyTimeoutMs === undefined ? {} : { busyTimeoutMs };
    const { db } = openSqliteConnection(file, { readOnly: true, ...wait });
    const schema = await requireCurrentSchema(db, { engine: "sqlite", failpoint: () => {} });
    const writer = startWriter({ file, ...wait });
    return portableStore({
      engine: "sqlite",
      db,
      write: writer.write,
      schema,
      clock,
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
