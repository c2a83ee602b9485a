import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { isBusy } from "../storage/sqlite/faults.ts";
import { CommandFailure } from "./exit.ts";

const serverFileSchema = z.object({
  url: z.string(),
  pid: z.int(),
  startedAt: z.string(),
  version: z.string(),
});

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
  const serverFile = path.join(folder, "server.json");
  let announced = false;
  return {
    announce(server) {
      const draft = `${serverFile}.${process.pid}`;
      writeFileSync(draft, `${JSON.stringify(server, null, 2)}\n`, { mode: 0o600 });
      renameSync(draft, serverFile);
      announced = true;
    },
    release() {
      if (announced) rmSync(serverFile, { force: true });
      lock.close();
    },
  };
}

function readServerFile(folder: string): ServerFile | null {
  try {
    const parsed = serverFileSchema.safeParse(
      JSON.parse(readFileSync(path.join(folder, "server.json"), "utf8")),
    );
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
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
  const file = path.join(folder, "server.lock");
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
