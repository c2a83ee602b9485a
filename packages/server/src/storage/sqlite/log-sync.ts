import { fdatasync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { syncFolder } from "../sync-folder.ts";

/** Takes this thread two thirds of the time of the handle's own method. */
const syncData = promisify(fdatasync);

export interface LogSync {
  /** Resolves when all commits before the call are on disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Syncs the write-ahead log outside SQLite, so that no thread blocks. A commit without a sync is in the log already. A
 * checkpoint syncs the log before it moves pages.
 */
export function openLogSync(file: string): LogSync {
  let opening: Promise<FileHandle> | null = null;
  return {
    sync: async () => {
      opening ??= openLog(file);
      const log = await opening.catch((error: unknown) => {
        opening = null;
        throw error;
      });
      await syncData(log.fd);
    },
    close: async () => {
      await opening?.then((log) => log.close()).catch(() => {});
    },
  };
}

async function openLog(file: string): Promise<FileHandle> {
  const log = await open(`${file}-wal`, "r+");
  await syncFolder(path.dirname(file));
  return log;
}
