import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { DatabaseLocation } from "../storage/open-store.ts";
import { CommandFailure, EXIT } from "./exit.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface DataFlags {
  readonly data?: string;
  readonly database?: string;
}

export interface ServeFlags extends DataFlags {
  readonly host?: string;
  readonly port?: string;
}

export interface DataSettings {
  /** Absolute. */
  readonly dataFolder: string;
  readonly database: DatabaseLocation;
}

export interface ServeSettings extends DataSettings {
  readonly host: string;
  readonly port: number;
  readonly token: string | null;
}

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = "4664";
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/u;

/** Flags win over the environment, the environment over what is usual. */
export function dataSettings(flags: DataFlags, environment: Environment): DataSettings {
  const dataFolder = path.resolve(
    flags.data ?? given(environment["HOLDFAST_DATA"]) ?? defaultDataFolder(environment),
  );
  const database = flags.database ?? given(environment["HOLDFAST_DATABASE_URL"]);
  return {
    dataFolder,
    database:
      database === undefined
        ? { engine: "sqlite", file: path.join(dataFolder, "holdfast.db") }
        : parseDatabase(database),
  };
}

export function serveSettings(flags: ServeFlags, environment: Environment): ServeSettings {
  const host = flags.host ?? given(environment["HOLDFAST_HOST"]) ?? DEFAULT_HOST;
  const token = given(environment["HOLDFAST_TOKEN"]) ?? null;
  if (!LOOPBACK.test(host) && token === null) {
    throw new CommandFailure(
      `Listening on ${host} lets other machines in: set HOLDFAST_TOKEN, or leave --host out.`,
      EXIT.usage,
    );
  }
  const port = parsePort(flags.port ?? given(environment["HOLDFAST_PORT"]) ?? DEFAULT_PORT);
  return { ...dataSettings(flags, environment), host, port, token };
}

/** A database URL without its password, fit to be printed. */
export function describeDatabase(database: DatabaseLocation): string {
  if (database.engine === "sqlite") return `SQLite, ${database.file}`;
  const url = new URL(database.url);
  return `PostgreSQL, ${url.host}${url.pathname}`;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/u.test(text) || port > 65_535) {
    throw new CommandFailure(
      `The port must be a number from 0 to 65535, not "${text}".`,
      EXIT.usage,
    );
  }
  return port;
}

/** `postgres://…`, or a SQLite file as a path, `file:…` or `sqlite:…`. */
function parseDatabase(text: string): DatabaseLocation {
  if (/^postgres(ql)?:\/\//u.test(text)) {
    if (!URL.canParse(text))
      throw new CommandFailure("The database URL cannot be read.", EXIT.usage);
    return { engine: "postgres", url: text };
  }
  const scheme = /^([a-z][a-z0-9+.-]+):/u.exec(text)?.[1];
  if (scheme !== undefined && scheme !== "file" && scheme !== "sqlite") {
    throw new CommandFailure(
      `The database must be postgres://… or a SQLite file, not ${scheme}:….`,
      EXIT.usage,
    );
  }
  const file = text.startsWith("file:///")
    ? fileURLToPath(text)
    : text.replace(/^(file|sqlite):(\/\/)?/u, "");
  return { engine: "sqlite", file: path.resolve(file) };
}

function defaultDataFolder(environment: Environment): string {
  const home = given(environment["XDG_DATA_HOME"]) ?? path.join(homedir(), ".local", "share");
  return path.join(home, "holdfast");
}

/** An empty variable is as good as none. */
function given(value: string | undefined): string | undefined {
  return value === undefined || value === "" ? undefined : value;
}
