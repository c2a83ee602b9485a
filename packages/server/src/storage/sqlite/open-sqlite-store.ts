import type { DatabaseSync } from "node:sqlite";
import { requireCurrentSchema } from "../migrations/migrate.ts";
import type { OpenOptions } from "../database-access.ts";
import { portableStore } from "../portable-store.ts";
import type { Store } from "../store.ts";
import {
  openSqliteConnection,
  type ConnectionOptions,
  type SqliteConnection,
} from "./connection.ts";
import { faultFromSqlite } from "./faults.ts";
import { startWriterHere } from "./writer-here.ts";
import { startWriter } from "./writer.ts";
import { type SqliteWriter } from "./write-protocol.ts";

export interface SqliteOptions extends OpenOptions {
  readonly file: string;
}

/** Reads on this thread and writes on another, so that a slow disk does not block reads. */
export async function openSqliteStore({
  file,
  busyTimeoutMs,
  ownThread = true,
  leavesMarks = true,
  ...options
}: SqliteOptions): Promise<Store> {
  const wait = busyTimeoutMs === undefined ? {} : { busyTimeoutMs };
  let writer: SqliteWriter | null = null;
  const connection = openReader(file, {
    ...wait,
    readElsewhere: (text, parameters) => writer?.read(text, parameters) ?? null,
  });
  try {
    const schema = await requireCurrentSchema(connection, {
      engine: "sqlite",
      failpoint: () => {},
    });
    const { write, onOutsideWrites, close } = (writer = (ownThread ? startWriter : startWriterHere)(
      { file, leavesMarks, ...wait },
    ));
    return portableStore({
      at: connection,
      isShared: false,
      isServer: ownThread,
      contentVersion: contentVersionOf(connection.raw),
      write,
      schema,
      options,
      translate: faultFromSqlite,
      onOutsideWrites: (listener) => onOutsideWrites(() => listener({ hint: "anything" })),
      call: () => {},
      close: async () => {
        await close();
        await connection.close();
      },
    });
  } catch (error) {
    await connection.close();
    throw faultFromSqlite(error);
  }
}

/** A number that changes whenever another connection of any process has written. */
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
