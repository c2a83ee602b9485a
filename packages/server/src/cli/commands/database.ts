import path from "node:path";
import {
  copyDatabase as copyRows,
  type CopiedDatabase,
  type CopyProgress,
  type CopyRefused,
} from "../../storage/copy/copy-database.ts";
import { StorageFault } from "../../storage/fault.ts";
import type { MigrationStep } from "../../storage/migrations/migrate.ts";
import {
  inspectDatabase,
  openMigrations,
  type DatabaseLocation,
} from "../../storage/open-store.ts";
import { backUp, type BackupRefused } from "../../storage/sqlite/back-up.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { requireData, whileNobodyServes } from "../gateway/served-database.ts";
import { makeDataFolder, makeFolder } from "../settings/data-folder.ts";
import {
  databaseFile,
  dataSettings,
  describeDatabase,
  parseDatabase,
  type DataFlags,
  type DataSettings,
} from "../settings/settings.ts";
import { counted } from "../terminal/format.ts";
import { openPrinter } from "../terminal/printer.ts";
import { openProgress } from "../terminal/progress.ts";

export interface JsonFlags extends DataFlags {
  readonly json?: true;
}

export async function migrate(flags: JsonFlags): Promise<void> {
  const settings = dataSettings(flags, process.env);
  const { pending } = await inspectDatabase(settings.database);
  const up = async () => (await openMigrations(settings.database)).up();
  // With nothing pending, this only checks that no newer program has migrated the database.
  if (pending.length > 0) makeDataFolder(settings.dataFolder);
  const steps = await (pending.length === 0 ? up() : whileNobodyServes(settings, up));
  printSteps(flags, settings, { steps, done: "migrated", none: "up to date" });
}

export async function rollback(flags: JsonFlags): Promise<void> {
  const settings = dataSettings(flags, process.env);
  const { holds } = await inspectDatabase(settings.database);
  if (holds === "nothing") requireData(settings, { holds });
  const steps = await whileNobodyServes(settings, async () =>
    (await openMigrations(settings.database)).down(),
  );
  printSteps(flags, settings, { steps, done: "rolled back", none: "nothing to roll back" });
}

interface Steps {
  readonly steps: readonly MigrationStep[];
  /** What happened to each migration. */
  readonly done: string;
  /** The sentence when nothing happened. */
  readonly none: string;
}

function printSteps(
  flags: JsonFlags,
  { database }: DataSettings,
  { steps, done, none }: Steps,
): void {
  const printer = openPrinter(flags);
  const names = steps.map(({ name }) => name);
  if (flags.json === true) return printer.json({ engine: database.engine, migrations: names });
  if (names.length === 0) return printer.line(`${describeDatabase(database)}: ${none}`);
  for (const name of names) printer.line(`${done} ${name}`);
}

export async function status(flags: JsonFlags): Promise<void> {
  const printer = openPrinter(flags);
  const settings = dataSettings(flags, process.env);
  const { database } = settings;
  const { holds } = await inspectDatabase(database);
  if (holds === "nothing") requireData(settings, { holds });
  const migrations = await (await openMigrations(database)).status();
  if (flags.json === true) return printer.json({ engine: database.engine, migrations });
  const where = describeDatabase(database);
  if (holds === "other") printer.warn(`${where}: this database holds no Holdfast data.`);
  else if (printer.isForPeople) printer.line(where);
  return printer.table(
    migrations.map(({ name, executedAt }) => [name, executedAt?.toISOString() ?? "pending"]),
    [{ title: "MIGRATION", flexible: true }, "RAN AT"],
  );
}

export async function backup(target: string, flags: JsonFlags): Promise<void> {
  const printer = openPrinter(flags);
  const source = databaseFile(dataSettings(flags, process.env).database);
  if (source === null) throw new CommandFailure(USE_PG_DUMP);
  const file = path.resolve(target);
  const result = await backUp(source, file).catch((cause: unknown) => {
    if (!(cause instanceof StorageFault)) throw cause;
    throw new CommandFailure(`${file}: ${cause.message} No backup was written.`, undefined, {
      cause,
    });
  });
  if (!result.ok) {
    const exitCode = result.refused === "source_missing" ? EXIT.no : EXIT.failed;
    throw new CommandFailure(backupRefusal(result, source, file), exitCode);
  }
  const { bytes, tables } = result;
  const rowsOf = (name: string): number => tables.find(({ table }) => table === name)?.rows ?? 0;
  const megabytes = (bytes / 1024 / 1024).toFixed(1);
  printer.result(
    { file, bytes, tables },
    `${file}: ${counted(rowsOf("AgentSession"), "session")}, ${counted(rowsOf("AgentMessage"), "message")}, ${megabytes} MiB, verified`,
  );
}

export interface CopyFlags {
  readonly from: string;
  readonly to: string;
  readonly json?: true;
}

export async function copy(flags: CopyFlags): Promise<void> {
  const printer = openPrinter(flags);
  const settings = { from: parseDatabase(flags.from), to: parseDatabase(flags.to) };
  const progress = await openProgress(printer, "Copying rows");
  try {
    const result = await copyDatabase(settings, {
      onProgress: ({ step, done, total }) => {
        if (step === "copying") progress.report(done, total);
      },
    });
    progress.end();
    if (flags.json === true) printer.json(result);
    else for (const text of describeCopied(result, settings).split("\n")) printer.line(text);
  } finally {
    progress.end();
  }
}

type CopyResult = Omit<CopiedDatabase, "ok">;

interface CopySettings {
  readonly from: DatabaseLocation;
  readonly to: DatabaseLocation;
}

/** Copies everything into another database and compares each table row by row. Throws a `CommandFailure`. */
export async function copyDatabase(
  settings: CopySettings,
  { onProgress }: { readonly onProgress: (progress: CopyProgress) => void },
): Promise<CopyResult> {
  const file = databaseFile(settings.to);
  if (file !== null) makeFolder(path.dirname(file));
  const copied = await copyRows(settings, { onProgress });
  if (!copied.ok) {
    const exitCode = copied.refused === "source_missing" ? EXIT.no : EXIT.failed;
    throw new CommandFailure(copyRefusal(copied, settings), exitCode);
  }
  return { tables: copied.tables };
}

export function describeCopied({ tables }: CopyResult, { to }: Pick<CopySettings, "to">): string {
  const width = Math.max(...tables.map(({ table }) => table.length));
  const rows = tables.map(({ table, rows }) => `  ${table.padEnd(width)}  ${rows}`);
  return [`Copied to ${describeDatabase(to)}, and verified:`, ...rows].join("\n");
}

const USE_PG_DUMP = [
  "PostgreSQL has its own backup program. It works while servers run:",
  '  pg_dump --format=custom --file=holdfast.dump "$HOLDFAST_DATABASE_URL"',
  "To restore into an empty database, while no server runs:",
  '  pg_restore --no-owner --dbname="$HOLDFAST_DATABASE_URL" holdfast.dump',
].join("\n");

function backupRefusal({ refused }: BackupRefused, source: string, file: string): string {
  switch (refused) {
    case "source_missing":
      return `${source}: no such database.`;
    case "target_exists":
      return `${file} already exists and is not overwritten. Choose another name.`;
    case "folder_missing":
      return `${path.dirname(file)} is not a folder.`;
    default:
      return refused satisfies never;
  }
}

function copyRefusal({ refused }: CopyRefused, { from, to }: CopySettings): string {
  const [source, target] = [describeDatabase(from), describeDatabase(to)];
  const inUse = "a server uses it. Stop the server and try again.";
  const killed = "A server that was killed counts as running for up to a minute.";
  switch (refused) {
    case "same_database":
      return `${source}: --from and --to are the same database.`;
    case "source_missing":
      return `${source}: no such database.`;
    case "source_in_use":
      return `${source}: ${inUse} ${killed}`;
    case "target_in_use":
      return `${target}: ${inUse} ${killed}`;
    case "target_not_empty":
      return `${target}: the database is not empty. Copy into a new database.`;
    default:
      return refused satisfies never;
  }
}
