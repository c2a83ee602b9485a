import { sql } from "kysely";
import type { PoolConfig } from "pg";
import type { DatabaseAccess } from "../database-access.ts";
import type { Queryable } from "../dialect.ts";
import { inspectTables } from "../inspection.ts";
import { migrateDown, migrateUp, migrationStatus } from "../migrations/migrate.ts";
import type { Database } from "../tables.ts";
import { openPostgresConnection } from "./connection.ts";
import { faultFromPostgres } from "./faults.ts";
import { openPostgresStore } from "./open-postgres-store.ts";
import { POSTGRES } from "./postgres-dialect.ts";

/** Migrations and copies may take long: no limit on a statement. */
const UNLIMITED: PoolConfig = { query_timeout: 0 };

export function postgresAccess({
  url,
  directUrl = url,
}: {
  readonly url: string;
  readonly directUrl?: string;
}): DatabaseAccess {
  return {
    dialect: POSTGRES,
    openStore: (options) => openPostgresStore({ url, directUrl, ...options }),
    migrations: (failpoint) => {
      const context = { engine: "postgres", failpoint } as const;
      const migrate = <Result>(use: (at: Queryable) => Promise<Result>): Promise<Result> =>
        withDatabase(directUrl, (db) => use({ db, dialect: POSTGRES }), UNLIMITED);
      return {
        up: () => migrate((at) => migrateUp(at, context)),
        down: () => migrate((at) => migrateDown(at, context)),
        status: () => migrate((at) => migrationStatus(at, context)),
      };
    },
    inspect: () =>
      withDatabase(directUrl, async (db) => ({
        ...(await inspectTables({ db, dialect: POSTGRES })),
        identity: await identityOf(db),
      })),
    identify: () => withDatabase(directUrl, identityOf),
    findDamage: async () => [],
    reading: (use) =>
      withDatabase(
        url,
        (db) =>
          db
            .transaction()
            .setIsolationLevel("repeatable read")
            .setAccessMode("read only")
            .execute(use),
        UNLIMITED,
      ),
    writing: (use) => withDatabase(url, (db) => db.transaction().execute(use), UNLIMITED),
  };
}

/** The identifier of the cluster, created with it, and the database's number in it. */
async function identityOf(db: Database): Promise<string> {
  const { rows } = await sql<{ readonly oid: string }>`
    select "oid"::text as "oid" from "pg_database" where "datname" = current_database()`.execute(
    db,
  );
  return `postgres:${await systemIdentifier(db)}:${rows[0]?.oid}`;
}

/** Hosted databases may hide it; then the number of the database must suffice. */
async function systemIdentifier(db: Database): Promise<string> {
  try {
    const { rows } = await sql<{ readonly id: string }>`
      select "system_identifier"::text as "id" from pg_control_system()`.execute(db);
    return rows[0]?.id ?? "";
  } catch {
    return "";
  }
}

async function withDatabase<Result>(
  url: string,
  use: (db: Database) => Promise<Result>,
  config: PoolConfig = {},
): Promise<Result> {
  const { db } = openPostgresConnection(url, { max: 1, ...config });
  try {
    return await use(db);
  } catch (error) {
    throw faultFromPostgres(error);
  } finally {
    await db.destroy();
  }
}
