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
const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY;
/** The last part of the path must not be a link, even if one is put there after the path was resolved. */
const REAL_FLAGS = FLAGS | constants.O_NOFOLLOW | O_NOFOLLOW_ANY;

export const BEST_PROOF: FolderProof = process.platform === "linux" ? "descriptor" : "comparison";

/** The system follows the links while it opens a folder, and tells afterwards where they led. */
export function canFollowLinks(proof: FolderProof): boolean {
  return proof === "descriptor";
}

export interface OpenFolderOptions {
  /** The name of something in the folder. */
  readonly expected?: string | null;
  /** Otherwise the path has been resolved, and a link that is its last part was put there since. */
  readonly followsLinks?: boolean;
}

export async function openFolder(
  folder: string,
  proof: FolderProof,
  { expected = null, followsLinks = false }: OpenFolderOptions = {},
): Promise<OpenFolder> {
  let descriptor: number;
  try {
    descriptor = await openFile(folder, followsLinks ? FLAGS : REAL_FLAGS);
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
    const isInHeld = held !== null && (await contains(held));
    const real =
      held === null
        ? await comparedPath(descriptor, folder)
        : await heldPath(descriptor, held, { hasContent: expected !== null && isInHeld });
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

/** Null if the folder was deleted, which only an empty one can be. */
async function heldPath(
  descriptor: number,
  held: string,
  { hasContent }: { readonly hasContent: boolean },
): Promise<string | null> {
  const isThere = hasContent || (await statFile(descriptor, { bigint: true })).nlink !== 0n;
  // The system answers it without the disk.
  return isThere ? readlinkSync(held) : null;
}

/** Null if the path leads to another folder than the opened one. */
async function comparedPath(descriptor: number, folder: string): Promise<string | null> {
  const opened = await statFile(descriptor, { bigint: true });
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
    case "ENAMETOOLONG":
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
