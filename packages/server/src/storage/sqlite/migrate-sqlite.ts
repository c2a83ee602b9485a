import { existsSync } from "node:fs";
import { migrateDown, migrateUp, migrationStatus, nothingMigrated } from "../migrations/migrate.ts";
import type { MigrationContext } from "../migrations/migrations.ts";
import type { Migrations } from "../open-store.ts";
import { openSqliteAsItIs, openSqliteConnection, type SqliteConnection } from "./connection.ts";
import { faultFromSqlite } from "./faults.ts";

export function sqliteMigrations(
  file: string,
  failpoint: MigrationContext["failpoint"],
): Migrations {
  const context: MigrationContext = { engine: "sqlite", failpoint };
  const withDatabase = async <Result>(
    use: (db: SqliteConnection["db"]) => Promise<Result>,
    open = (): SqliteConnection => openSqliteConnection(file, { readOnly: false }),
  ): Promise<Result> => {
    try {
      const { db } = open();
      try {
        return await use(db);
      } finally {
        await db.destroy();
      }
    } catch (error) {
      throw faultFromSqlite(error);
    }
  };
  return {
    up: () => withDatabase((db) => migrateUp(db, context)),
    down: () => withDatabase((db) => migrateDown(db, context)),
    status: async () =>
      existsSync(file)
        ? withDatabase(
            (db) => migrationStatus(db, context),
            () => openSqliteAsItIs(file),
          )
        : nothingMigrated(context),
  };
}
