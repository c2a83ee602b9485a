import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import type { DatabaseInspection, LiveLease } from "../../storage/inspection.ts";
import { inspectDatabase } from "../../storage/open-store.ts";
import { counted } from "../counted.ts";
import {
  LOCK_FILE,
  lockDataFolder,
  runningServer,
  type DataFolderLock,
  type ServerFile,
} from "../settings/data-folder.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { describeDatabase, type DataSettings } from "../settings/settings.ts";
import { neutraliseLine } from "../terminal/neutralise.ts";

export type NamedDatabase = Pick<DataSettings, "dataFolder" | "database">;

/** There is no Holdfast data where a command was told to look. */
export class NothingThere extends CommandFailure {
  constructor(message: string) {
    super(message, EXIT.no);
  }
}

/** Throws unless the database holds Holdfast's data. */
export function requireData(
  { dataFolder, database }: NamedDatabase,
  { holds }: Pick<DatabaseInspection, "holds">,
): void {
  if (holds === "holdfast") return;
  const where = describeDatabase(database);
  if (holds === "other") throw new NothingThere(`${where}: this database holds no Holdfast data.`);
  if (database.engine === "sqlite" && path.dirname(database.file) === dataFolder)
    throw new NothingThere(
      existsSync(dataFolder)
        ? `There is no Holdfast data in ${dataFolder} yet. To begin: holdfast serve`
        : `There is no Holdfast data: the folder ${dataFolder} does not exist. To begin: holdfast serve`,
    );
  throw new NothingThere(`${where}: there is no such file.`);
}

/**
 * The running server that uses this database: the one on the data folder, or the one on the folder in which a SQLite
 * file lies. Null when neither is known to use it.
 */
export async function serverUsing(named: NamedDatabase): Promise<ServerFile | null> {
  let inspection: DatabaseInspection | null = null;
  for (const folder of foldersOf(named)) {
    const server = runningServer(folder);
    if (server?.database === undefined) continue;
    inspection ??= await inspectDatabase(named.database);
    if (isUsedBy(server, inspection)) return server;
  }
  return null;
}

/** A copy of a whole PostgreSQL cluster has the identity of the original; only in one of them does the server hold a lease. */
function isUsedBy(
  { database, node }: ServerFile,
  { identity, leases }: Pick<DatabaseInspection, "identity" | "leases">,
): boolean {
  if (identity === null || identity !== database) return false;
  return identity.startsWith("sqlite:") || leases.some(({ id }) => id === node);
}

function foldersOf({ dataFolder, database }: NamedDatabase): ReadonlySet<string> {
  return new Set([dataFolder, ...(database.engine === "sqlite" ? [folderOf(database.file)] : [])]);
}

function folderOf(file: string): string {
  try {
    return path.dirname(realpathSync(file));
  } catch {
    return path.dirname(file);
  }
}

/** Throws while a server or an import uses the database: its schema must not change under them. */
export async function refuseWhileInUse(named: NamedDatabase): Promise<void> {
  const reason = await reasonInUse(named);
  if (reason !== null) throw new CommandFailure(reason);
}

/** Who uses the database, in a sentence; null when nobody does. */
export async function reasonInUse(named: NamedDatabase): Promise<string | null> {
  const { leases, identity } = await inspectDatabase(named.database);
  if (leases.length > 0) return leasesHeld(named, leases);
  if (named.database.engine !== "sqlite") return null;
  for (const folder of foldersOf(named)) {
    const server = runningServer(folder);
    if (server === null) continue;
    const isOlder = server.database === undefined && folder === folderOf(named.database.file);
    if (isOlder || (identity !== null && server.database === identity))
      return `${describeDatabase(named.database)}: a Holdfast with pid ${server.pid} at ${server.url} uses it. Stop it, and run this again.`;
  }
  return null;
}

function leasesHeld({ database }: NamedDatabase, leases: readonly LiveLease[]): string {
  const names = leases.map(({ id, name }) => neutraliseLine(`${name ?? "unnamed"} (${id})`));
  const longest = Math.max(...leases.map(({ expiresInMs }) => expiresInMs));
  const [verb, them] = leases.length === 1 ? ["uses", "it"] : ["use", "them"];
  return [
    `${describeDatabase(database)}: ${counted(leases.length, "live node")} ${verb} it: ${names.join(", ")}.`,
    `The schema must not change while nodes are alive. Stop ${them}, and run this again.`,
    `A node that was killed counts as alive until its lease ends, at most ${Math.ceil(longest / 1_000)} s from now.`,
  ].join(" ");
}

/** Nobody uses the database, and no server starts on the folder of a SQLite file, while this works. */
export async function whileNobodyServes<Result>(
  named: NamedDatabase,
  work: () => Promise<Result>,
): Promise<Result> {
  await refuseWhileInUse(named);
  const lock = lockFolderOf(named);
  try {
    return await work();
  } finally {
    lock?.release();
  }
}

/** A folder without a lock file has never been a data folder: nobody serves from it, and nothing is left in it. */
function lockFolderOf({ dataFolder, database }: NamedDatabase): DataFolderLock | null {
  if (database.engine !== "sqlite") return null;
  const folder = folderOf(database.file);
  if (folder !== dataFolder && !existsSync(path.join(folder, LOCK_FILE))) return null;
  // A server may use this folder for everything but its database.
  if (runningServer(folder) !== null) return null;
  return lockDataFolder(folder);
}
