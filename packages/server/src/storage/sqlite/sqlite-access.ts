import { statSync, type BigIntStats } from "node:fs";
import type { DatabaseAccess } from "../database-access.ts";
import { StorageFault } from "../fault.ts";
import { inspectTables, type DatabaseInspection } from "../inspection.ts";
import { migrateDown, migrateUp, migrationStatus, nothingMigrated } from "../migrations/migrate.ts";
import { openSqliteUntouched, openSqliteConnection, type SqliteConnection } from "./connection.ts";
import { findDamageSlowly } from "./damage/check-slowly.ts";
import { findDamage } from "./damage/find-damage.ts";
import { faultFromSqlite } from "./faults.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";
import { SQLITE } from "./sqlite-dialect.ts";

export function sqliteAccess(file: string): DatabaseAccess {
  const write = (): SqliteConnection => openSqliteConnection(file, { readOnly: false });
  const read = (): SqliteConnection => openSqliteConnection(file, { readOnly: true });
  const look = (): SqliteConnection => openSqliteUntouched(file);
  return {
    dialect: SQLITE,
    openStore: (options) => openSqliteStore({ file, ...options }),
    migrations: (failpoint) => {
      const context = { engine: "sqlite", failpoint } as const;
      return {
        up: () => withConnection(write, (connection) => migrateUp(connection, context)),
        down: () => withConnection(write, (connection) => migrateDown(connection, context)),
        status: async () =>
          statsOf(file) === null
            ? nothingMigrated(context)
            : withConnection(look, (connection) => migrationStatus(connection, context)),
      };
    },
    inspect: async () => {
      const stats = statsOf(file);
      if (stats === null) return NO_DATABASE;
      const tables = await withConnection(look, inspectTables);
      return { ...tables, identity: identityOf(stats) };
    },
    identify: async () => {
      const stats = statsOf(file);
      return stats === null ? null : identityOf(stats);
    },
    findDamage: async (how) => {
      if (statsOf(file) === null) return [];
      return how === "at once" ? findDamage(file) : findDamageSlowly(file, how.slowly);
    },
    reading: (use) => inTransaction(read, "begin", use),
    writing: (use) => inTransaction(write, "begin immediate", use),
  };
}

function inTransaction<Result>(
  open: () => SqliteConnection,
  begin: string,
  use: (db: SqliteConnection["db"]) => Promise<Result>,
): Promise<Result> {
  return withConnection(open, async ({ raw, db }) => {
    raw.exec(begin);
    const result = await use(db);
    raw.exec("commit");
    return result;
  });
}

/** Closing the connection rolls back an open transaction. */
async function withConnection<Result>(
  open: () => SqliteConnection,
  use: (connection: SqliteConnection) => Promise<Result>,
): Promise<Result> {
  try {
    const connection = open();
    try {
      return await use(connection);
    } finally {
      await connection.close();
    }
  } catch (error) {
    throw faultFromSqlite(error);
  }
}

const NO_DATABASE: DatabaseInspection = {
  holds: "nothing",
  pending: nothingMigrated({ engine: "sqlite", failpoint: () => {} }).map(({ name }) => name),
  identity: null,
  leases: [],
};

/** The same for all names of a file: links, mounts, relative paths. A copy has another. */
function identityOf({ dev, ino }: BigIntStats): string {
  return `sqlite:${dev}:${ino}`;
}

/** Null when the file does not exist. */
function statsOf(file: string): BigIntStats | null {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch (cause) {
    throw new StorageFault("database_unavailable", `The database ${file} cannot be reached.`, {
      cause,
    });
  }
}
