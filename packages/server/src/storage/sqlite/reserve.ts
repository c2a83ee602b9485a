import { randomFillSync } from "node:crypto";
import { existsSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Room that nobody uses, for when there is no other: to delete something, the database must write first,
 * and on a full disk that is the only way out.
 */
export interface Reserve {
  /** Takes it where the disk has much room. */
  take(): void;
  /** Gives it up; false when there is none. */
  release(): boolean;
  /** Takes it back from what was freed, before others do. */
  takeBack(): void;
}

const BYTES = 4 * 1024 * 1024;
/** Where there is less, what sessions need today is worth more. */
const MUCH_ROOM = 4 * BYTES;

export function reserveBeside(file: string): Reserve {
  const name = `${file}-reserve`;
  const takeIfFree = (bytes: number): void => {
    try {
      if (existsSync(name) || freeBytes(path.dirname(file)) < bytes) return;
      // File systems that compress would keep nothing free with zeros.
      writeFileSync(name, randomFillSync(Buffer.alloc(BYTES)), { mode: 0o600 });
    } catch {
      // Half a reserve only makes the disk fuller.
      removeIfThere(name);
    }
  };
  return {
    take: () => takeIfFree(MUCH_ROOM),
    takeBack: () => takeIfFree(BYTES),
    release: () => existsSync(name) && removeIfThere(name),
  };
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function removeIfThere(name: string): boolean {
  try {
    rmSync(name, { force: true });
    return true;
  } catch {
    return false;
  }
}
