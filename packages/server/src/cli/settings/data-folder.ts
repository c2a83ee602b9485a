import { existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { isBusy } from "../../storage/sqlite/faults.ts";
import { CommandFailure } from "../exit.ts";
import { readJsonFile, replaceJsonFile } from "./json-file.ts";

const serverFileSchema = z.object({
  url: z.string(),
  pid: z.int(),
  startedAt: z.string(),
  version: z.string(),
  /** The server's node, which holds a lease in its database. Older versions write none of the following. */
  node: z.string().optional(),
  /** The identity of its database. */
  database: z.string().optional(),
  /** Lets commands of the folder's owner do everything, until this server ends. */
  localToken: z.string().optional(),
});

export const LOCK_FILE = "server.lock";
const SERVER_FILE = "server.json";

/** What `<data>/server.json` says while a server runs. */
export type ServerFile = z.infer<typeof serverFileSchema>;

export interface DataFolderLock {
  /** Tells others where this server is. */
  announce(server: ServerFile): void;
  release(): void;
}

/**
 * Makes the folder and takes it for this process. The lock is one of the operating system's, on a
 * file of its own, so that it goes with the process however that ends: a stale one cannot exist.
 */
export function lockDataFolder(folder: string): DataFolderLock {
  makeDataFolder(folder);
  const lock = openLock(folder);
  const serverFile = path.join(folder, SERVER_FILE);
  let announced = false;
  return {
    announce(server) {
      replaceJsonFile(serverFile, server);
      announced = true;
    },
    release() {
      if (announced) rmSync(serverFile, { force: true });
      lock.close();
    },
  };
}

/** The server that uses the folder now. The lock tells, since a file stays behind when a server is killed. */
export function runningServer(folder: string): ServerFile | null {
  const server = readServerFile(folder);
  if (server === null) return null;
  try {
    const lock = new DatabaseSync(path.join(folder, LOCK_FILE), { timeout: 0 });
    try {
      lock.exec("begin exclusive");
      return null;
    } catch (error) {
      return isBusy(error) ? server : null;
    } finally {
      lock.close();
    }
  } catch {
    return null;
  }
}

function readServerFile(folder: string): ServerFile | null {
  return readJsonFile(path.join(folder, SERVER_FILE), serverFileSchema);
}

export function makeDataFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw new CommandFailure(
      `The data folder ${folder} cannot be made: ${reasonOf(error)}. Choose another with --data.`,
      undefined,
      { cause: error },
    );
  }
}

/** One level at a time: Node's own `recursive` never returns where the system answers oddly, as in /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

function openLock(folder: string): DatabaseSync {
  const file = path.join(folder, LOCK_FILE);
  let lock: DatabaseSync;
  try {
    lock = new DatabaseSync(file, { timeout: 0 });
  } catch (error) {
    throw new CommandFailure(
      `The data folder ${folder} cannot be written. Choose another with --data.`,
      undefined,
      { cause: error },
    );
  }
  try {
    lock.exec("pragma journal_mode = memory; begin exclusive");
    return lock;
  } catch (error) {
    lock.close();
    if (!isBusy(error)) {
      throw new CommandFailure(
        `The data folder ${folder} cannot be written: ${reasonOf(error)}. Choose another with --data.`,
        undefined,
        { cause: error },
      );
    }
    const other = readServerFile(folder);
    const who =
      other === null
        ? "Another Holdfast, still starting,"
        : `A Holdfast with pid ${other.pid} at ${other.url}`;
    throw new CommandFailure(
      `${who} uses the data folder ${folder}. Stop it, or choose another with --data.`,
      undefined,
      { cause: error },
    );
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Bundles of removed sessions. */
export function bundlesIn(dataFolder: string): string {
  return path.join(dataFolder, "bundles");
}

export function journalFolder(dataFolder: string): string {
  return path.join(dataFolder, "journals");
}
