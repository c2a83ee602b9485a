import { counted } from "../terminal/format.ts";
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import type { DatabaseInspection, LiveLease } from "../../storage/inspection.ts";
import { inspectDatabase } from "../../storage/open-store.ts";
import {
  LOCK_FILE,
  lockDataFolder,
  runningServer,
  type DataFolderLock,
  type ServerFile,
} from "../settings/data-folder.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { databaseFile, describeDatabase, type DataSettings } from "../settings/settings.ts";
import { neutraliseLine } from "../terminal/neutralise.ts";
import { commandLine } from "../terminal/invocation.ts";

export type NamedDatabase = Pick<DataSettings, "dataFolder" | "database">;

/** The named database holds no Holdfast data. */
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
  const file = databaseFile(database);
  if (file !== null && path.dirname(file) === dataFolder)
    throw new NothingThere(
      existsSync(dataFolder)
        ? `There is no Holdfast data in ${dataFolder} yet. Start with: ${commandLine("up")}`
        : `There is no Holdfast data: the folder ${dataFolder} does not exist. Start with: ${commandLine("up")}`,
    );
  throw new NothingThere(`${where}: no such file.`);
}

/**
 * The running server that uses this database: the one on the data folder, or the one on the folder of a SQLite file.
 * Null when neither uses it.
 */
export async function serverUsing(named: NamedDatabase): Promise<FoundServer | null> {
  let inspection: DatabaseInspection | null = null;
  for (const folder of foldersOf(named)) {
    const found = serverOn(folder);
    if (found?.server.database === undefined) continue;
    inspection ??= await inspectDatabase(named.database);
    if (isUsedBy(found.server, inspection)) return found;
  }
  return null;
}

/** A running server and its data folder. */
export interface FoundServer {
  readonly folder: string;
  readonly server: ServerFile;
}

export function serverOn(folder: string): FoundServer | null {
  const server = runningServer(folder);
  return server === null ? null : { folder, server };
}

/** A copy of a PostgreSQL cluster has the identity of the original. The server holds a lease in only one of them. */
function isUsedBy(
  { database, node }: ServerFile,
  { identity, leases }: Pick<DatabaseInspection, "identity" | "leases">,
): boolean {
  if (identity === null || identity !== database) return false;
  return identity.startsWith("sqlite:") || leases.some(({ id }) => id === node);
}

function foldersOf({ dataFolder, database }: NamedDatabase): ReadonlySet<string> {
  const file = databaseFile(database);
  return new Set([dataFolder, ...(file === null ? [] : [folderOf(file)])]);
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

/** A sentence that names the users of the database; null when there are none. */
export async function reasonInUse(named: NamedDatabase): Promise<string | null> {
  const { leases, identity } = await inspectDatabase(named.database);
  if (leases.length > 0) return leasesHeld(named, leases);
  const file = databaseFile(named.database);
  if (file === null) return null;
  for (const folder of foldersOf(named)) {
    const server = runningServer(folder);
    if (server === null) continue;
    const isOlder = server.database === undefined && folder === folderOf(file);
    if (isOlder || (identity !== null && server.database === identity))
      return `${describeDatabase(named.database)}: a Holdfast with pid ${server.pid} at ${server.url} uses it. Stop it and try again.`;
  }
  return null;
}

function leasesHeld({ database }: NamedDatabase, leases: readonly LiveLease[]): string {
  const names = leases.map(({ id, name }) => neutraliseLine(`${name ?? "unnamed"} (${id})`));
  const longest = Math.max(...leases.map(({ expiresInMs }) => expiresInMs));
  const [verb, them] = leases.length === 1 ? ["uses", "it"] : ["use", "them"];
  return [
    `${describeDatabase(database)}: ${counted(leases.length, "live node")} ${verb} it: ${names.join(", ")}.`,
    `The schema must not change while nodes are alive. Stop ${them} and try again.`,
    `A node that was killed counts as alive until its lease ends, at most ${Math.ceil(longest / 1_000)} s from now.`,
  ].join(" ");
}

/** Does the work while no server uses the database; none can start on the folder of a SQLite file meanwhile. */
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

/** A folder without a lock file has never been a data folder, so no server uses it; no lock file is created there. */
function lockFolderOf({ dataFolder, database }: NamedDatabase): DataFolderLock | null {
  const file = databaseFile(database);
  if (file === null) return null;
  const folder = folderOf(file);
  if (folder !== dataFolder && !existsSync(path.join(folder, LOCK_FILE))) return null;
  // A server may use this folder for everything but its database.
  if (runningServer(folder) !== null) return null;
  return lockDataFolder(folder);
}
