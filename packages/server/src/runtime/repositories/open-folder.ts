import { close as closeDescriptor, constants, fstat, open as openDescriptor } from "node:fs";
import { readlink, realpath, stat } from "node:fs/promises";
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
      /** Whether it contains a file or folder with this name. */
      has(name: string): Promise<boolean>;
      /** Can be called repeatedly. */
      close(): Promise<void>;
    }
  | { readonly ok: false; readonly reason: string };

// Plain descriptors, because the garbage collector closes an unreferenced FileHandle, even while an agent uses it.
const openFile = promisify(openDescriptor);
const statFile = promisify(fstat);
const closeFile = promisify(closeDescriptor);

/** macOS only and missing in Node: no part of the path may be a link. */
const O_NOFOLLOW_ANY = process.platform === "darwin" ? 0x2000_0000 : 0;
/** The last part of the path must not be a link, even if one is put there after the path was resolved. */
const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | O_NOFOLLOW_ANY;

export const BEST_PROOF: FolderProof = process.platform === "linux" ? "descriptor" : "comparison";

export async function openFolder(folder: string, proof: FolderProof): Promise<OpenFolder> {
  let descriptor: number;
  try {
    descriptor = await openFile(folder, FLAGS);
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= closeFile(descriptor));
  try {
    const real = await pathOf(descriptor, folder, proof);
    if (real === null) {
      await close();
      return { ok: false, reason: "was replaced or removed while it was opened" };
    }
    const base = proof === "descriptor" ? `/proc/self/fd/${descriptor}` : real;
    const has = (name: string): Promise<boolean> => isFileOrFolder(path.join(base, name));
    return { ok: true, descriptor, path: real, base, has, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Null if the folder was deleted or the path leads to another one. */
async function pathOf(
  descriptor: number,
  folder: string,
  proof: FolderProof,
): Promise<string | null> {
  const opened = await statFile(descriptor, { bigint: true });
  if (proof === "descriptor")
    return opened.nlink === 0n ? null : readlink(`/proc/self/fd/${descriptor}`);
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
