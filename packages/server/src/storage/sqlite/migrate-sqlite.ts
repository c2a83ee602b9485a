import { migrateDown, migrateUp, migrationStatus } from "../migrations/migrate.ts";
import type { MigrationContext } from "../migrations/migrations.ts";
import type { Migrations } from "../open-store.ts";
import { openSqliteConnection } from "./connection.ts";
import { faultFromSqlite } from "./faults.ts";

export function sqliteMigrations(
  file: string,
  failpoint: MigrationContext["failpoint"],
): Migrations {
  const context: MigrationContext = { engine: "sqlite", failpoint };
  const withDatabase = async <Result>(
    use: (db: ReturnType<typeof openSqliteConnection>["db"]) => Promise<Result>,
  ): Promise<Result> => {
    try {
      const { db } = openSqliteConnection(file, { readOnly: false });
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
    status: () => withDatabase((db) => migrationStatus(db, context)),
  };
}
