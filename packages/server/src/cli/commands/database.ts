import {
  backUpDatabase,
  copyDatabase,
  databaseStatus,
  describeBackup,
  describeCopied,
  migrateDatabase,
  rollbackDatabase,
} from "../db-commands.ts";
import { openPrinter } from "../terminal/printer.ts";
import { openProgress } from "../terminal/progress.ts";
import { dataSettings, parseDatabase, type DataFlags } from "../settings/settings.ts";

export async function migrate(flags: DataFlags): Promise<void> {
  say(await migrateDatabase(dataSettings(flags, process.env)));
}

export async function rollback(flags: DataFlags): Promise<void> {
  say(await rollbackDatabase(dataSettings(flags, process.env)));
}

export async function status({
  json,
  ...flags
}: DataFlags & { readonly json?: true }): Promise<void> {
  say(await databaseStatus(dataSettings(flags, process.env), { json: json === true }));
}

export interface BackupFlags extends DataFlags {
  readonly json?: true;
}

export async function backup(file: string, flags: BackupFlags): Promise<void> {
  const printer = openPrinter(flags);
  const done = await backUpDatabase(dataSettings(flags, process.env), file);
  if (flags.json === true) printer.json(done);
  else printer.line(describeBackup(done));
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
    const copied = await copyDatabase(settings, {
      onProgress: ({ step, done, total }) => {
        if (step === "copying") progress.report(done, total);
      },
    });
    progress.end();
    if (flags.json === true) printer.json(copied);
    else for (const text of describeCopied(copied, settings).split("\n")) printer.line(text);
  } finally {
    progress.end();
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
