import { constants } from "node:fs";
import { open, readlink, realpath, stat, type FileHandle } from "node:fs/promises";
import path from "node:path";

export interface OpenFile {
  readonly handle: FileHandle;
  readonly size: number;
}

/** The last part of the path must not be a link. A FIFO must not block the server. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a regular file if `isAllowed` accepts its real path, which is read after the file was opened: links in the
 * path cannot lead elsewhere. Null if it is refused, missing or not readable.
 */
export async function openOutputFile(
  file: string,
  isAllowed: (real: string) => boolean,
): Promise<OpenFile | null> {
  let handle: FileHandle;
  try {
    handle = await open(path.resolve(file), FLAGS);
  } catch {
    return null;
  }
  try {
    const stats = await handle.stat({ bigint: true });
    // Another name of the file may be outside.
    const isPlain = stats.isFile() && stats.nlink === 1n;
    const real = isPlain ? await pathOf(handle, file, stats) : null;
    if (real !== null && isAllowed(real)) return { handle, size: Number(stats.size) };
  } catch {
    // It was removed in the meantime.
  }
  await handle.close();
  return null;
}

/** Null if the path leads to another file now. */
async function pathOf(
  { fd }: FileHandle,
  file: string,
  opened: { readonly dev: bigint; readonly ino: bigint },
): Promise<string | null> {
  if (process.platform === "linux") return readlink(`/proc/self/fd/${fd}`);
  const real = await realpath(file);
  const { dev, ino } = await stat(real, { bigint: true });
  return dev === opened.dev && ino === opened.ino ? real : null;
}
