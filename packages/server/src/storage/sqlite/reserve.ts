import { randomFillSync } from "node:crypto";
import { existsSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * A file that reserves space. A delete must write first, so on a full disk it needs this space.
 */
export interface Reserve {
  /** Whether there is none and the disk has plenty of space. */
  isWanted(): boolean;
  /** Reserves the space if the disk has plenty. */
  take(): void;
  /** Frees the space; false when none is reserved. */
  release(): boolean;
  /** Reserves it again from the space that a delete freed. */
  takeBack(): void;
}

const BYTES = 4 * 1024 * 1024;
/** With less free space, sessions need it more. */
const MUCH_ROOM = 4 * BYTES;

export function reserveBeside(file: string): Reserve {
  const name = `${file}-reserve`;
  const isPossible = (bytes: number): boolean =>
    !existsSync(name) && freeBytes(path.dirname(file)) >= bytes;
  const takeIfFree = (bytes: number): void => {
    if (!isPossible(bytes)) return;
    try {
      // Random bytes: a compressing file system would reserve nothing for zeros.
      writeFileSync(name, randomFillSync(Buffer.alloc(BYTES)), { mode: 0o600 });
    } catch {
      // A partial reserve only fills the disk.
      removeIfThere(name);
    }
  };
  return {
    isWanted: () => isPossible(MUCH_ROOM),
    take: () => takeIfFree(MUCH_ROOM),
    takeBack: () => takeIfFree(BYTES),
    release: () => existsSync(name) && removeIfThere(name),
  };
}

/** None where the file system does not tell. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

function removeIfThere(name: string): boolean {
  try {
    rmSync(name, { force: true });
    return true;
  } catch {
    return false;
  }
}
