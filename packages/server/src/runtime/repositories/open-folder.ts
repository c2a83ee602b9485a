import { closeSync, constants, fstat, open as openDescriptor, readlinkSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

/**
 * The proof of which folder was opened. `descriptor`: the system tells the path of the descriptor. `comparison`: the path is
 * resolved again and must lead to the same inode.
 */
export type FolderProof = "descriptor" | "comparison";

export type OpenFolder =
  | {
      readonly ok: true;
      readonly descriptor: number;
      /** The real path. */
      readonly path: string;
      /** A path that leads to the opened folder as long as it is open, even if it is moved. */
      readonly base: string;
      /** Whether it contains a file or folder with the expected name. */
      readonly hasExpected: boolean;
      /** Can be called repeatedly. */
      close(): Promise<void>;
    }
  | { readonly ok: false; readonly reason: string };

// Plain descriptors, because the garbage collector closes an unreferenced FileHandle, even while an agent uses it.
const openFile = promisify(openDescriptor);
const statFile = promisify(fstat);

/** macOS only and missing in Node: no part of the path may be a link. */
const O_NOFOLLOW_ANY = process.platform === "darwin" ? 0x2000_0000 : 0;
/** The last part of the path must not be a link, even if one is put there after the path was resolved. */
const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | O_NOFOLLOW_ANY;

export const BEST_PROOF: FolderProof = process.platform === "linux" ? "descriptor" : "comparison";

/** `expected` is the name of something in the folder. */
export async function openFolder(
  folder: string,
  proof: FolderProof,
  expected: string | null = null,
): Promise<OpenFolder> {
  let descriptor: number;
  try {
    descriptor = await openFile(folder, FLAGS);
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    // Does not wait: nothing was written.
    closeSync(descriptor);
  };
  const contains = async (base: string): Promise<boolean> =>
    expected === null || isFileOrFolder(path.join(base, expected));
  try {
    const held = proof === "descriptor" ? `/proc/self/fd/${descriptor}` : null;
    const [real, isInHeld] = await Promise.all([
      pathOf(descriptor, folder, held),
      held !== null && contains(held),
    ]);
    if (real === null) {
      await close();
      return { ok: false, reason: "was replaced or removed while it was opened" };
    }
    const hasExpected = held === null ? await contains(real) : isInHeld;
    return { ok: true, descriptor, path: real, base: held ?? real, hasExpected, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Null if the folder was deleted or the path leads to another one. */
async function pathOf(
  descriptor: number,
  folder: string,
  held: string | null,
): Promise<string | null> {
  const opened = await statFile(descriptor, { bigint: true });
  // The system answers it without the disk.
  if (held !== null) return opened.nlink === 0n ? null : readlinkSync(held);
  try {
    const real = await realpath(folder);
    const resolved = await stat(real, { bigint: true });
    return resolved.dev === opened.dev && resolved.ino === opened.ino ? real : null;
  } catch {
    return null;
  }
}

export async function isFileOrFolder(file: string): Promise<boolean> {
  try {
    const stats = await stat(file);
    return stats.isDirectory() || stats.isFile();
  } catch {
    return false;
  }
}

function reasonOf(error: unknown): string {
  switch (error instanceof Error && "code" in error ? error.code : null) {
    case "ENOENT":
      return "does not exist";
    case "ENOTDIR":
      return "is not a folder";
    case "ELOOP":
      return "was replaced by a link while it was opened";
    case "EACCES":
    case "EPERM":
      return "may not be opened by the server";
    default:
      throw error;
  }
}
