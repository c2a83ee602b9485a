import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { errorText } from "../../domain/error-text.ts";
import { isObject } from "../../domain/json.ts";
import { isBusy } from "../../storage/sqlite/faults.ts";
import { CommandFailure } from "../exit.ts";
import { closeFolder } from "./private-folder.ts";

/** The contents of `<data>/server.json` while a server runs. */
export interface ServerFile {
  readonly url: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly version: string;
  /** The server's node, which holds a lease in its database. Older versions do not write the fields from here on. */
  readonly node?: string | undefined;
  /** The identity of its database. */
  readonly database?: string | undefined;
  /** The database as people know it, without a password. */
  readonly databaseName?: string | undefined;
  readonly workspaceRoot?: string | undefined;
  /** Tells the server's process from a later one with the same ID. */
  readonly processStart?: string | undefined;
}

const nodeFileSchema = z.object({
  node: z.string(),
  /** The inode of the lock file. In a copied folder it differs, and the former node may be alive. */
  inode: z.string(),
});

export const LOCK_FILE = "server.lock";
const SERVER_FILE = "server.json";
const NODE_FILE = "node.json";

export interface DataFolderLock {
  /** Publishes the server's address. */
  announce(server: ServerFile): void;
  release(): void;
}

/**
 * Creates the folder and locks it for this process. The operating system holds the lock on a file of its own and
 * releases it when the process ends in any way, so a stale lock cannot exist.
 */
export function lockDataFolder(folder: string): DataFolderLock {
  makeDataFolder(folder);
  const lock = openLock(folder);
  const serverFile = path.join(folder, SERVER_FILE);
  // A killed server left it behind. With the lock of this server it would seem to be running.
  rmSync(serverFile, { force: true });
  let isAnnounced = false;
  let again: NodeJS.Timeout | undefined;
  return {
    announce(server) {
      isAnnounced = true;
      try {
        replaceJsonFile(serverFile, server);
      } catch (error) {
        if (!isNoSpace(error)) throw error;
        // Commands find the server when the disk has space again.
        again = setTimeout(() => this.announce(server), ANNOUNCE_AGAIN_MS).unref();
      }
    },
    release() {
      clearTimeout(again);
      if (isAnnounced) rmSync(serverFile, { force: true });
      lock.close();
    },
  };
}

/** The server that uses the folder now. The lock decides, since a killed server leaves its file behind. */
export function runningServer(folder: string): ServerFile | null {
  const server = readServerFile(folder);
  return server !== null && isLocked(folder) ? server : null;
}

/** Whether a server uses the folder, even if it is still starting or almost stopped. */
export function isLocked(folder: string): boolean {
  const file = path.join(folder, LOCK_FILE);
  if (!existsSync(file)) return false;
  try {
    const lock = new DatabaseSync(file, { timeout: 0 });
    try {
      lock.exec("begin exclusive");
      return false;
    } catch (error) {
      return isBusy(error);
    } finally {
      lock.close();
    }
  } catch {
    return false;
  }
}

/** The URL for requests from this machine to a server that listens on all addresses. */
export function localUrl(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

/**
 * Records this node as the user of the data folder and returns the node before it. The caller holds the folder's lock,
 * so the former node is dead and its lease need not run out.
 */
export function recordNode(folder: string, node: string): string | null {
  const file = path.join(folder, NODE_FILE);
  const inode = String(statSync(path.join(folder, LOCK_FILE), { bigint: true }).ino);
  const former = readJsonFile(file, nodeFileSchema);
  replaceJsonFile(file, { node, inode } satisfies z.infer<typeof nodeFileSchema>);
  return former?.inode === inode ? former.node : null;
}

/** Creates the data folder, or closes an existing one to other users. */
export function makeDataFolder(folder: string): void {
  if (existsSync(folder)) return closeFolder(folder);
  try {
    makeFolder(folder);
  } catch (error) {
    throw failure(`Cannot create the data folder ${folder}: ${errorText(error)}.`, error);
  }
}

/** For what outlives a server together with its agents. */
export function hostFolderIn(dataFolder: string): string {
  return path.join(dataFolder, "host");
}

/** One level at a time: Node's own `recursive` never returns for some paths, such as in /proc. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** A command that looks for a server holds the lock for a moment, which must not prevent a start. */
const LOCK_WAIT_MS = 250;

function openLock(folder: string): DatabaseSync {
  let lock: DatabaseSync | null = null;
  try {
    lock = new DatabaseSync(path.join(folder, LOCK_FILE), { timeout: LOCK_WAIT_MS });
    lock.exec("pragma journal_mode = memory; begin exclusive");
    return lock;
  } catch (error) {
    lock?.close();
    if (!isBusy(error))
      throw failure(`Cannot write to the data folder ${folder}: ${errorText(error)}.`, error);
    const other = readServerFile(folder);
    const user =
      other === null
        ? "Another Holdfast that is still starting"
        : `A Holdfast with pid ${other.pid} at ${other.url}`;
    throw new CommandFailure(
      `${user} uses the data folder ${folder}. Stop it, or choose another folder with --data.`,
      undefined,
      { cause: error },
    );
  }
}

function failure(message: string, cause: unknown): CommandFailure {
  return new CommandFailure(`${message} Choose another folder with --data.`, undefined, { cause });
}

/** The server that used the folder last, or uses it now. */
export function readServerFile(folder: string): ServerFile | null {
  const value = readJson(path.join(folder, SERVER_FILE));
  return isServerFile(value) ? value : null;
}

/** Every command reads this file. A schema would take longer than the rest of it. */
function isServerFile(value: unknown): value is ServerFile {
  if (!isObject(value)) return false;
  const { url, pid, startedAt, version, ...later } = value;
  const { node, database, databaseName, workspaceRoot, processStart } = later;
  return (
    Number.isSafeInteger(pid) &&
    [url, startedAt, version].every((each) => typeof each === "string") &&
    [node, database, databaseName, workspaceRoot, processStart].every(
      (each) => each === undefined || typeof each === "string",
    )
  );
}

/** Null when the file does not exist or does not fit the schema. */
export function readJsonFile<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): z.infer<Schema> | null {
  return schema.safeParse(readJson(file)).data ?? null;
}

/** Undefined when the file does not exist or is not JSON. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

const ANNOUNCE_AGAIN_MS = 2_000;

function isNoSpace(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOSPC";
}

/** Atomic: a reader sees the old file or the new one. The owner alone can read it. */
export function replaceJsonFile(file: string, value: object): void {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** The folder with the bundles of removed sessions. */
export function bundlesIn(dataFolder: string): string {
  return path.join(dataFolder, "bundles");
}

/** The folder with the log files. */
export function logsIn(dataFolder: string): string {
  return path.join(dataFolder, "logs");
}

export function journalFolder(dataFolder: string): string {
  return path.join(dataFolder, "journals");
}
