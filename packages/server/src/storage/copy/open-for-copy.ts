import type { DatabaseLocation } from "../open-store.ts";
import { sqliteForCopy } from "../sqlite/sqlite-for-copy.ts";
import type { Database } from "../tables.ts";

/** A database as a copy needs it. Each call has a connection of its own. */
export interface ForCopy {
  readonly engine: DatabaseLocation["engine"];
  /** All that is read is of one moment. */
  reading<Result>(use: (db: Database) => Promise<Result>): Promise<Result>;
  /** One transaction; what throws leaves nothing. */
  writing<Result>(use: (db: Database) => Promise<Result>): Promise<Result>;
}

export async function openForCopy(location: DatabaseLocation): Promise<ForCopy> {
  if (location.engine === "sqlite") return sqliteForCopy(location.file);
  const { postgresForCopy } = await import("../postgres/postgres-for-copy.ts");
  return postgresForCopy(location.url);
}
