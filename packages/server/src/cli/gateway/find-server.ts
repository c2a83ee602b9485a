import type { ClientOptions } from "@holdfast/client";
import { COMMAND_LINE } from "../../http/guard/caller.ts";
import { findSocket } from "../access/socket-file.ts";
import { findToken } from "../access/token-file.ts";
import { localUrl, runningServer } from "../settings/data-folder.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { VERSION } from "../version.ts";
import { serverOn, serverUsing } from "./served-database.ts";
import {
  describeDatabase,
  serveSettings,
  type DataFlags,
  type ServeSettings,
} from "../settings/settings.ts";
import { identifyDatabase } from "../../storage/open-store.ts";

/** The flags of commands that use a server, or the database when none runs. */
export interface CommonFlags extends DataFlags {
  readonly url?: string;
  readonly json?: true;
}

export interface ServerAddress {
  readonly url: string;
  /** The options of a client for this server. */
  readonly client: ClientOptions;
  /** Null for a server that did not announce itself on this machine. */
  readonly version: string | null;
}

/** The settings of a command that takes `--url`. */
export function gatewaySettings(flags: CommonFlags): ServeSettings {
  if (flags.url !== undefined && flags.database !== undefined)
    throw new CommandFailure(
      "--url and --database cannot be combined: a server uses its own database.",
      EXIT.usage,
    );
  return serveSettings(flags, process.env);
}

/**
 * The server that a command uses; null when it uses the database directly. The order of precedence: `--url`,
 * `--database`, a server on the folder of `--data`, `HOLDFAST_DATABASE_URL`, a server on the data folder. A named database
 * is used through a server only when that server uses it.
 */
export async function findServer(
  flags: CommonFlags,
  settings: ServeSettings,
): Promise<ServerAddress | null> {
  const { dataFolder, token } = settings;
  if (flags.url !== undefined) {
    const local = runningServer(dataFolder);
    const isLocal = local !== null && originOf(local.url) === originOf(flags.url);
    return addressOf({
      url: flags.url,
      token,
      folder: isLocal ? dataFolder : null,
      version: isLocal ? local.version : null,
    });
  }
  const used = isFolderNamed(flags, settings)
    ? (serverOn(dataFolder) ?? (await serverUsing(settings)))
    : await serverUsing(settings);
  if (used === null) return null;
  const { url, version } = used.server;
  return addressOf({ url, token, folder: used.folder, version });
}

/** A configured token comes first. Without one, the files of the server's data folder give access. */
export function addressOf({
  url,
  token,
  folder,
  version = null,
}: {
  readonly url: string;
  readonly token: string | null;
  readonly folder: string | null;
  readonly version?: string | null;
}): ServerAddress {
  const reachable = localUrl(url);
  const userAgent = `${COMMAND_LINE}/${VERSION}`;
  const socketPath = token === null && folder !== null ? findSocket(folder) : null;
  if (socketPath !== null) return { url: reachable, version, client: { socketPath, userAgent } };
  const known = token ?? (folder === null ? null : findToken(folder)) ?? undefined;
  return { url: reachable, version, client: { url: reachable, token: known, userAgent } };
}

/** For work on the database itself. Throws when the server on the data folder uses another database. */
export async function databaseSettings(flags: CommonFlags): Promise<ServeSettings> {
  if (flags.url !== undefined)
    throw new CommandFailure(
      "This command works on the database itself, not through a server. Pass --database instead of --url.",
      EXIT.usage,
    );
  const settings = gatewaySettings(flags);
  const elsewhere = await databaseElsewhere(flags, settings);
  if (elsewhere !== null) throw new CommandFailure(elsewhere);
  return settings;
}

/** A sentence when the server on the data folder uses another database than the settings name; else null. */
export async function databaseElsewhere(
  flags: CommonFlags,
  settings: ServeSettings,
): Promise<string | null> {
  if (flags.url !== undefined || !isFolderNamed(flags, settings)) return null;
  const server = runningServer(settings.dataFolder);
  if (server?.database === undefined) return null;
  if (server.database === (await identifyDatabase(settings.database))) return null;
  return `The server at ${server.url} uses another database than ${describeDatabase(settings.database)}. Pass the right one with --database.`;
}

/** Whether the data folder, and not a database, selects the server. */
function isFolderNamed({ data }: CommonFlags, { databaseFrom }: ServeSettings): boolean {
  return databaseFrom === "default" || (databaseFrom === "environment" && data !== undefined);
}

function originOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, hostname, port } = new URL(localUrl(url));
  return `${protocol}//${hostname === "localhost" ? "127.0.0.1" : hostname}:${port}`;
}
