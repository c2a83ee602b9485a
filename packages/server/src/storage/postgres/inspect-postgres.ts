import { sql, type Kysely } from "kysely";
import { inspectTables, type DatabaseInspection } from "../inspection.ts";
import type { Tables } from "../tables.ts";
import { openPostgresConnection } from "./connection.ts";
import { faultFromPostgres } from "./faults.ts";

export async function inspectPostgres(url: string): Promise<DatabaseInspection> {
  return withDatabase(url, async (db) => ({
    ...(await inspectTables(db, "postgres")),
    identity: await identityOf(db),
  }));
}

export function identifyPostgres(url: string): Promise<string> {
  return withDatabase(url, identityOf);
}

/** The cluster's own number, made when it was created, and the database's number in it. */
async function identityOf(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ readonly oid: string }>`
    select "oid"::text as "oid" from "pg_database" where "datname" = current_database()`.execute(
    db,
  );
  return `postgres:${await systemIdentifier(db)}:${rows[0]?.oid}`;
}

/** Services may withhold it; then the database's own number must do. */
async function systemIdentifier(db: Kysely<Tables>): Promise<string> {
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
  use: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  const { db } = openPostgresConnection(url, { max: 1 });
  try {
    return await use(db);
  } catch (error) {
    throw faultFromPostgres(error);
  } finally {
    await db.destroy();
  }
}
