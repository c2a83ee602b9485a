import { statSync, type BigIntStats } from "node:fs";
import { StorageFault } from "../fault.ts";
import { inspectTables, type DatabaseInspection } from "../inspection.ts";
import { nothingMigrated } from "../migrations/migrate.ts";
import { openSqliteAsItIs } from "./connection.ts";
import { faultFromSqlite } from "./faults.ts";

export async function inspectSqlite(file: string): Promise<DatabaseInspection> {
  const stats = statsOf(file);
  if (stats === null) return NOTHING_THERE;
  try {
    const { db } = openSqliteAsItIs(file);
    try {
      return { ...(await inspectTables(db, "sqlite")), identity: identityOf(stats) };
    } finally {
      await db.destroy();
    }
  } catch (error) {
    throw faultFromSqlite(error);
  }
}

const NOTHING_THERE: DatabaseInspection = {
  holds: "nothing",
  pending: nothingMigrated({ engine: "sqlite", failpoint: () => {} }).map(({ name }) => name),
  identity: null,
  leases: [],
};

/** Null when there is no such file. */
export function identifySqlite(file: string): string | null {
  const stats = statsOf(file);
  return stats === null ? null : identityOf(stats);
}

/** A file keeps it under all its names: links, mounts, relative paths. A copy has another. */
function identityOf({ dev, ino }: BigIntStats): string {
  return `sqlite:${dev}:${ino}`;
}

function statsOf(file: string): BigIntStats | null {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch (cause) {
    throw new StorageFault("database_unavailable", `The database ${file} cannot be reached.`, {
      cause,
    });
  }
}
