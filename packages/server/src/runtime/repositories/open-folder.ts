import { close as closeDescriptor, constants, fstat, open as openDescriptor } from "node:fs";
import { readlink, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

/**
 * How it is known which folder was opened. `descriptor`: the system says where the open folder is.
 * `comparison`: the path is resolved again and must lead to the very folder that is open.
 */
export type FolderProof = "descriptor" | "comparison";

export type OpenFolder =
  | {
      readonly ok: true;
      readonly descriptor: number;
      /** Where the folder really is. */
      readonly path: string;
      /** Whether a file or folder of that name is in it. */
      has(name: string): Promise<boolean>;
      /** Once, however often it is called. */
      close(): Promise<void>;
    }
  | { readonly ok: false; readonly reason: string };

// Plain descriptors: a FileHandle that nobody keeps would be closed under the agent that works in it.
const openFile = promisify(openDescriptor);
const statFile = promisify(fstat);
const closeFile = promisify(closeDescriptor);

/** Of macOS, and unknown to Node: no part of the path may be a link. */
const O_NOFOLLOW_ANY = process.platform === "darwin" ? 0x2000_0000 : 0;
/** The last part of the path must not be a link: whoever puts one there after it was resolved loses. */
const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | O_NOFOLLOW_ANY;

export async function openFolder(
  folder: string,
  { proof }: { proof: FolderProof },
): Promise<OpenFolder> {
  let descriptor: number;
  try {
    descriptor = await openFile(folder, FLAGS);
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= closeFile(descriptor));
  try {
    const real = await pathOf(descriptor, { folder, proof });
    if (real === null) {
      await close();
      return { ok: false, reason: "was replaced or removed while it was opened" };
    }
    const base = proof === "descriptor" ? `/proc/self/fd/${descriptor}` : real;
    return {
      ok: true,
      descriptor,
      path: real,
      has: (name) => exists(path.join(base, name)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Null when the folder is gone, or is not where the path leads. */
async function pathOf(
  descriptor: number,
  { folder, proof }: { folder: string; proof: FolderProof },
): Promise<string | null> {
  const opened = await statFile(descriptor, { bigint: true });
  if (proof === "descriptor")
    return opened.nlink === 0n ? null : readlink(`/proc/self/fd/${descriptor}`);
  try {
    const real = await realpath(folder);
    const found = await stat(real, { bigint: true });
    return found.dev === opened.dev && found.ino === opened.ino ? real : null;
  } catch {
    return null;
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    const found = await stat(file);
    return found.isDirectory() || found.isFile();
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
