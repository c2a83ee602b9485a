import { openMigrations } from "../storage/open-store.ts";
import type { MigrationStatus } from "../storage/migrations/migrate.ts";
import { lockDataFolder, makeDataFolder } from "./data-folder.ts";
import { describeDatabase, type DataSettings } from "./settings.ts";

export async function migrateDatabase(settings: DataSettings): Promise<string> {
  const steps = await whileNobodyServes(settings, async () =>
    (await openMigrations(settings.database)).up(),
  );
  if (steps.length === 0) return `${describeDatabase(settings.database)}: up to date`;
  return steps.map(({ name }) => `migrated ${name}`).join("\n");
}

export async function rollbackDatabase(settings: DataSettings): Promise<string> {
  const steps = await whileNobodyServes(settings, async () =>
    (await openMigrations(settings.database)).down(),
  );
  if (steps.length === 0) return `${describeDatabase(settings.database)}: nothing to roll back`;
  return steps.map(({ name }) => `rolled back ${name}`).join("\n");
}

export async function databaseStatus(
  { dataFolder, database }: DataSettings,
  { json }: { readonly json: boolean },
): Promise<string> {
  makeDataFolder(dataFolder);
  const migrations = await (await openMigrations(database)).status();
  if (json) return JSON.stringify({ engine: database.engine, migrations }, null, 2);
  const width = Math.max(...migrations.map(({ name }) => name.length));
  const rows = migrations.map(
    (migration) => `  ${migration.name.padEnd(width)}  ${whenOf(migration)}`,
  );
  return [describeDatabase(database), ...rows].join("\n");
}

function whenOf({ executedAt }: MigrationStatus): string {
  return executedAt === null ? "pending" : executedAt.toISOString();
}

/** A schema must not change under a running server. */
async function whileNobodyServes<Result>(
  { dataFolder }: DataSettings,
  work: () => Promise<Result>,
): Promise<Result> {
  const lock = lockDataFolder(dataFolder);
  try {
    return await work();
  } finally {
    lock.release();
  }
}
