import { migrateDown, migrateUp, migrationStatus } from "../migrations/migrate.ts";
import type { MigrationContext } from "../migrations/migrations.ts";
import type { Migrations } from "../open-store.ts";
import { openPostgresConnection } from "./connection.ts";
import { faultFromPostgres } from "./faults.ts";

/** Migrations lock and may run long: one connection, straight to the server, no limit on a statement. */
export function postgresMigrations(
  url: string,
  failpoint: MigrationContext["failpoint"],
): Migrations {
  const context: MigrationContext = { engine: "postgres", failpoint };
  const withDatabase = async <Result>(
    use: (db: ReturnType<typeof openPostgresConnection>["db"]) => Promise<Result>,
  ): Promise<Result> => {
    const { db } = openPostgresConnection(url, { max: 1, query_timeout: 0 });
    try {
      return await use(db);
    } catch (error) {
      throw faultFromPostgres(error);
    } finally {
      await db.destroy();
    }
  };
  return {
    up: () => withDatabase((db) => migrateUp(db, context)),
    down: () => withDatabase((db) => migrateDown(db, context)),
    status: () => withDatabase((db) => migrationStatus(db, context)),
  };
}
