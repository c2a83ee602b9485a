import { sql } from "kysely";
import { Migrator, type MigrationResultSet } from "kysely/migration";
import type { Queryable } from "../dialect.ts";
import { StorageFault } from "../fault.ts";
import { runStatement } from "../prepared.ts";
import type { Database } from "../tables.ts";
import { migrations } from "./migrations.ts";
import { type MigrationContext } from "./migration-context.ts";

const MIGRATION_TABLE = "HoldfastMigration";
const LOCK_TABLE = "HoldfastMigrationLock";

export interface MigrationStep {
  readonly name: string;
  readonly direction: "up" | "down";
}

export interface MigrationStatus {
  readonly name: string;
  readonly executedAt: Date | null;
}

/**
 * Runs all pending migrations in one transaction. A crash leaves the old database unchanged, except for the two tables that
 * record migrations, which are created first.
 */
export async function migrateUp(
  at: Queryable,
  context: MigrationContext,
): Promise<readonly MigrationStep[]> {
  const status = await migrationStatus(at, context);
  refuseNewer(status, context);
  if (status.every(({ executedAt }) => executedAt !== null)) return [];
  await sortTimes(at.db, status);
  return stepsOf(await migrator(at.db, context).migrateToLatest());
}

export async function migrateDown(
  at: Queryable,
  context: MigrationContext,
): Promise<readonly MigrationStep[]> {
  const status = await migrationStatus(at, context);
  refuseNewer(status, context);
  await sortTimes(at.db, status);
  return stepsOf(await migrator(at.db, context).migrateDown());
}

export async function migrationStatus(
  at: Queryable,
  context: MigrationContext,
): Promise<readonly MigrationStatus[]> {
  const executed = await executedMigrations(at, context);
  const known = Object.keys(migrations(context));
  const unknown = [...executed.keys()].filter((name) => !known.includes(name));
  return [...known, ...unknown].map((name) => ({ name, executedAt: executed.get(name) ?? null }));
}

/** The status of a database that does not exist yet. */
export function nothingMigrated(context: MigrationContext): readonly MigrationStatus[] {
  return Object.keys(migrations(context)).map((name) => ({ name, executedAt: null }));
}

export interface CurrentSchema {
  /** The newest migration. */
  readonly name: string;
  /** When it ran. */
  readonly migratedAt: number;
}

/** Throws unless the database has exactly this program's schema. */
export async function requireCurrentSchema(
  at: Queryable,
  context: MigrationContext,
): Promise<CurrentSchema> {
  const status = await migrationStatus(at, context);
  refuseNewer(status, context);
  const pending = status.find(({ executedAt }) => executedAt === null);
  if (pending !== undefined) {
    throw new StorageFault(
      "schema_too_old",
      `The database lacks migration ${pending.name}. Run: holdfast db migrate`,
    );
  }
  const newest = status.at(-1);
  return { name: newest?.name ?? "empty", migratedAt: newest?.executedAt?.getTime() ?? 0 };
}

function refuseNewer(status: readonly MigrationStatus[], context: MigrationContext): void {
  const known = Object.keys(migrations(context));
  const newer = status.map(({ name }) => name).filter((name) => !known.includes(name));
  if (newer.length > 0) {
    throw new StorageFault(
      "schema_too_new",
      `The database was migrated by a newer Holdfast (${newer.join(", ")}). Update this program, or point it at another database.`,
    );
  }
}

/** Migrations run in the order of their names. Kysely sorts by time, which a clock set back would break. */
async function sortTimes(db: Database, status: readonly MigrationStatus[]): Promise<void> {
  if (status.every(({ executedAt }) => executedAt === null)) return;
  const table = sql.table(MIGRATION_TABLE);
  await sql`update ${table} as "one" set "timestamp" = (select max("other"."timestamp")
    from ${table} as "other" where "other"."name" <= "one"."name")`.execute(db);
}

async function executedMigrations(
  at: Queryable,
  { engine }: MigrationContext,
): Promise<Map<string, Date>> {
  const tables =
    engine === "sqlite"
      ? await runStatement(at, `select 1 from sqlite_schema where "name" = ?`, [MIGRATION_TABLE])
      : await runStatement(at, "select 1 where to_regclass(?) is not null", [
          `"${MIGRATION_TABLE}"`,
        ]);
  if (tables.length === 0) return new Map();
  const rows = await runStatement<{ readonly name: string; readonly timestamp: string }>(
    at,
    `select "name", "timestamp" from "${MIGRATION_TABLE}" order by "name"`,
    [],
  );
  return new Map(rows.map(({ name, timestamp }) => [name, new Date(timestamp)]));
}

function migrator(db: Database, context: MigrationContext): Migrator {
  return new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations(context)) },
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: LOCK_TABLE,
  });
}

function stepsOf({ error, results }: MigrationResultSet): readonly MigrationStep[] {
  if (error !== undefined) throw error;
  return (results ?? []).map(({ migrationName, direction }) => ({
    name: migrationName,
    direction: direction === "Up" ? "up" : "down",
  }));
}
