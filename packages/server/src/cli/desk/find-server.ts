import { runningServer, type ServerFile } from "../settings/data-folder.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { nearby } from "../nearby.ts";
import { serverUsing } from "./served-database.ts";
import {
  describeDatabase,
  serveSettings,
  type DataFlags,
  type ServeSettings,
} from "../settings/settings.ts";
import { identifyDatabase } from "../../storage/open-store.ts";

export interface DeskFlags extends DataFlags {
  /** A server, here or elsewhere. */
  readonly url?: string;
}

export interface ServerAddress {
  readonly url: string;
  readonly token: string | null;
}

/** The settings of a command that takes `--url`. */
export function deskSettings(flags: DeskFlags): ServeSettings {
  if (flags.url !== undefined && flags.database !== undefined)
    throw new CommandFailure(
      "--url and --database exclude each other: a server uses its own database. Leave one of them out.",
      EXIT.usage,
    );
  return serveSettings(flags, process.env);
}

/**
 * The server that a command goes through; null when it goes straight to the database. What is named first in this
 * order decides: `--url`, `--database`, a server on the folder of `--data`, `HOLDFAST_DATABASE_URL`, a server on the data
 * folder. A named database is reached through a server only when that server uses it.
 */
export async function findServer(
  flags: DeskFlags,
  settings: ServeSettings,
): Promise<ServerAddress | null> {
  const { dataFolder, token } = settings;
  if (flags.url !== undefined) {
    const local = runningServer(dataFolder);
    const isLocal = local !== null && originOf(local.url) === originOf(flags.url);
    return { url: nearby(flags.url), token: token ?? (isLocal ? tokenOf(local) : null) };
  }
  const server = isFolderNamed(flags, settings)
    ? (runningServer(dataFolder) ?? (await serverUsing(settings)))
    : await serverUsing(settings);
  return server === null ? null : { url: nearby(server.url), token: token ?? tokenOf(server) };
}

/**
 * For work that only the database itself can do, beside a server or without one. Throws when the server on the data
 * folder uses another database than the one that would be opened.
 */
export async function databaseSettings(flags: DeskFlags): Promise<ServeSettings> {
  if (flags.url !== undefined)
    throw new CommandFailure(
      "This works straight on the database, and not through a server: leave --url out, and name the database with --database.",
      EXIT.usage,
    );
  const settings = deskSettings(flags);
  const elsewhere = await databaseElsewhere(flags, settings);
  if (elsewhere !== null) throw new CommandFailure(elsewhere);
  return settings;
}

/** Says that the server on the data folder uses another database than the settings name; null when it does not. */
export async function databaseElsewhere(
  flags: DeskFlags,
  settings: ServeSettings,
): Promise<string | null> {
  if (flags.url !== undefined || !isFolderNamed(flags, settings)) return null;
  const server = runningServer(settings.dataFolder);
  if (server?.database === undefined) return null;
  if (server.database === (await identifyDatabase(settings.database))) return null;
  return `The server at ${server.url} uses another database than ${describeDatabase(settings.database)}. Name it with --database.`;
}

/** Whether the data folder, and not a database, says where to go. */
function isFolderNamed({ data }: DeskFlags, { databaseFrom }: ServeSettings): boolean {
  return databaseFrom === "default" || (databaseFrom === "environment" && data !== undefined);
}

function tokenOf({ localToken }: ServerFile): string | null {
  return localToken ?? null;
}

function originOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, hostname, port } = new URL(nearby(url));
  return `${protocol}//${hostname === "localhost" ? "127.0.0.1" : hostname}:${port}`;
}
