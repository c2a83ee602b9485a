import { open, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { syncFolder } from "../sync-folder.ts";

export interface LogSync {
  /** Resolves when everything committed before the call is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Syncs the write-ahead log of a database from outside of SQLite, so that no thread of ours stands still meanwhile. What is committed
 * without a sync is in the log already; folding syncs it, too, before anything of it moves.
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
      await log.datasync();
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
