import path from "node:path";
import {
  copyDatabase as copy,
  type CopiedDatabase,
  type CopyProgress,
  type CopyRefused,
} from "../storage/copy/copy-database.ts";
import { inspectDatabase, openMigrations, type DatabaseLocation } from "../storage/open-store.ts";
import { backUp, type BackedUp, type BackupRefused } from "../storage/sqlite/back-up.ts";
import { StorageFault } from "../storage/fault.ts";
import type { MigrationStatus } from "../storage/migrations/migrate.ts";
import { makeDataFolder } from "./settings/data-folder.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { requireData, whileNobodyServes } from "./desk/served-database.ts";
import { describeDatabase, type DataSettings } from "./settings/settings.ts";
import { counted } from "./counted.ts";

export async function migrateDatabase(settings: DataSettings): Promise<string> {
  const { pending } = await inspectDatabase(settings.database);
  const migrate = async () => (await openMigrations(settings.database)).up();
  // With nothing to do, this only checks that no newer program has migrated it.
  if (pending.length > 0) makeDataFolder(settings.dataFolder);
  const steps = await (pending.length === 0 ? migrate() : whileNobodyServes(settings, migrate));
  if (steps.length === 0) return `${describeDatabase(settings.database)}: up to date`;
  return steps.map(({ name }) => `migrated ${name}`).join("\n");
}

export async function rollbackDatabase(settings: DataSettings): Promise<string> {
  const { holds } = await inspectDatabase(settings.database);
  if (holds === "nothing") requireData(settings, { holds });
  const steps = await whileNobodyServes(settings, async () =>
    (await openMigrations(settings.database)).down(),
  );
  if (steps.length === 0) return `${describeDatabase(settings.database)}: nothing to roll back`;
  return steps.map(({ name }) => `rolled back ${name}`).join("\n");
}

export async function databaseStatus(
  settings: DataSettings,
  { json }: { readonly json: boolean },
): Promise<string> {
  const { database } = settings;
  const { holds } = await inspectDatabase(database);
  if (holds === "nothing") requireData(settings, { holds });
  const migrations = await (await openMigrations(database)).status();
  if (json) return JSON.stringify({ engine: database.engine, migrations }, null, 2);
  const width = Math.max(...migrations.map(({ name }) => name.length));
  const rows = migrations.map(
    (migration) => `  ${migration.name.padEnd(width)}  ${whenOf(migration)}`,
  );
  const note = holds === "other" ? ": this database holds no Holdfast data" : "";
  return [`${describeDatabase(database)}${note}`, ...rows].join("\n");
}

/** What was copied, each table compared row by row with its original. */
export type Copied = Omit<CopiedDatabase, "ok">;

export interface CopySettings {
  readonly from: DatabaseLocation;
  readonly to: DatabaseLocation;
}

/** A whole installation into another database. Fails with the next step when that cannot be done. */
export async function copyDatabase(
  settings: CopySettings,
  { onProgress }: { readonly onProgress: (progress: CopyProgress) => void },
): Promise<Copied> {
  if (settings.to.engine === "sqlite") makeDataFolder(path.dirname(settings.to.file));
  const copied = await copy(settings, { onProgress });
  if (!copied.ok) throw new CommandFailure(whyNotCopied(copied, settings));
  return { tables: copied.tables };
}

export function describeCopied({ tables }: Copied, { to }: Pick<CopySettings, "to">): string {
  const width = Math.max(...tables.map(({ table }) => table.length));
  const rows = tables.map(({ table, rows }) => `  ${table.padEnd(width)}  ${rows}`);
  return [`Copied to ${describeDatabase(to)}, and verified:`, ...rows].join("\n");
}

/** What was backed up, and verified. */
export type BackupDone = Omit<BackedUp, "ok"> & { readonly file: string };

/** The database as it is now, in a file of its own; a server may go on meanwhile. */
export async function backUpDatabase(
  { database }: DataSettings,
  target: string,
): Promise<BackupDone> {
  if (database.engine === "postgres") throw new CommandFailure(USE_PG_DUMP);
  const file = path.resolve(target);
  const done = await backUp(database.file, file).catch((error: unknown) => {
    if (!(error instanceof StorageFault)) throw error;
    throw new CommandFailure(`${file}: ${error.message} There is no backup.`, undefined, {
      cause: error,
    });
  });
  if (!done.ok) {
    const exitCode = done.refused === "source_missing" ? EXIT.no : EXIT.failed;
    throw new CommandFailure(whyNoBackup(done, { source: database.file, file }), exitCode);
  }
  return { file, bytes: done.bytes, tables: done.tables };
}

export function describeBackup({ file, bytes, tables }: BackupDone): string {
  const rowsOf = (name: string): number => tables.find(({ table }) => table === name)?.rows ?? 0;
  const megabytes = (bytes / 1024 / 1024).toFixed(1);
  return `${file}: ${counted(rowsOf("AgentSession"), "session")}, ${counted(rowsOf("AgentMessage"), "message")}, ${megabytes} MiB, verified`;
}

const USE_PG_DUMP = [
  "PostgreSQL backs itself up, while servers run:",
  '  pg_dump --format=custom --file=holdfast.dump "$HOLDFAST_DATABASE_URL"',
  "and back, into an empty database, while none runs:",
  '  pg_restore --no-owner --dbname="$HOLDFAST_DATABASE_URL" holdfast.dump',
].join("\n");

function whyNoBackup(
  { refused }: BackupRefused,
  { source, file }: { readonly source: string; readonly file: string },
): string {
  switch (refused) {
    case "source_missing":
      return `${source}: there is no such database.`;
    case "target_exists":
      return `${file} exists already, and is not written over. Choose another name.`;
    case "folder_missing":
      return `${path.dirname(file)} is not a folder.`;
    default:
      return refused satisfies never;
  }
}

function whyNotCopied({ refused }: CopyRefused, { from, to }: CopySettings): string {
  const [source, target] = [describeDatabase(from), describeDatabase(to)];
  switch (refused) {
    case "same_database":
      return `${source}: is the database to copy from and the one to copy to.`;
    case "source_missing":
      return `${source}: there is no such database.`;
    case "source_in_use":
      return `${source}: a server uses it. Stop it, and copy again; one that was killed counts as running for up to a minute.`;
    case "target_in_use":
      return `${target}: a server uses it. Stop it, and copy again; one that was killed counts as running for up to a minute.`;
    case "target_not_empty":
      return `${target}: has something in it already. Copy into a new database.`;
    default:
      return refused satisfies never;
  }
}

function whenOf({ executedAt }: MigrationStatus): string {
  return executedAt === null ? "pending" : executedAt.toISOString();
}
