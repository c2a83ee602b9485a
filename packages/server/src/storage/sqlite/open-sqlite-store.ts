import type { DatabaseSync } from "node:sqlite";
import { requireCurrentSchema } from "../migrations/migrate.ts";
import { portableStore, type StoreOptions } from "../portable-store.ts";
import type { Store } from "../store.ts";
import {
  openSqliteConnection,
  type ConnectionOptions,
  type SqliteConnection,
} from "./connection.ts";
import { faultFromSqlite } from "./faults.ts";
import { startWriterHere } from "./writer-here.ts";
import { startWriter, type SqliteWriter } from "./writer.ts";

export interface SqliteOptions extends StoreOptions {
  readonly file: string;
  /** How long a write waits for another process before it fails as `database_busy`. */
  readonly busyTimeoutMs?: number;
  /** False for a command that writes little and ends; a server's reads must not wait for its writes. */
  readonly ownThread?: boolean;
}

/** Reads on this thread; writes on one of their own, so that a slow disk stops no request that only reads. */
export async function openSqliteStore({
  file,
  busyTimeoutMs,
  ownThread = true,
  ...options
}: SqliteOptions): Promise<Store> {
  const wait = busyTimeoutMs === undefined ? {} : { busyTimeoutMs };
  let writer: SqliteWriter | null = null;
  const { db, raw, run } = openReader(file, {
    ...wait,
    readElsewhere: (text, parameters) => writer?.read(text, parameters) ?? null,
  });
  try {
    const schema = await requireCurrentSchema(db, { engine: "sqlite", failpoint: () => {} });
    const { write, onOutsideWrites, close } = (writer = (ownThread ? startWriter : startWriterHere)(
      { file, ...wait },
    ));
    return portableStore({
      engine: "sqlite",
      isShared: false,
      db,
      run,
      contentVersion: contentVersionOf(raw),
      write,
      schema,
      options,
      translate: faultFromSqlite,
      onOutsideWrites: (listener) => onOutsideWrites(() => listener({ hint: "anything" })),
      call: () => {},
      close: async () => {
        await close();
        await db.destroy();
      },
    });
  } catch (error) {
    await db.destroy();
    throw faultFromSqlite(error);
  }
}

/** Another number whenever any other connection, of any process, has written. */
function contentVersionOf(raw: DatabaseSync): () => number {
  const statement = raw.prepare("pragma data_version");
  return () => Number(statement.get()?.["data_version"]);
}

function openReader(file: string, options: Omit<ConnectionOptions, "readOnly">): SqliteConnection {
  try {
    return openSqliteConnection(file, { readOnly: true, ...options });
  } catch (error) {
    throw faultFromSqlite(error);
  }
}
