import { constants } from "node:fs";
import { lstat, mkdir, open, readlink, realpath, rm, type FileHandle } from "node:fs/promises";
import type { RawPath } from "../../raw-path.ts";

/**
 * Why a file was not copied. `not_a_file`: a link, or something that cannot be copied. `exists`: the other folder has it
 * already. `in_the_way`: a file or a link of the other folder is in the place of one of its folders. `too_large`, `too_many`:
 * beyond the limits.
 */
export type LeftOutReason =
  | "not_a_file"
  | "exists"
  | "in_the_way"
  | "too_large"
  | "too_many"
  | "unreadable";

interface CopyRequest {
  /** The real paths of both folders. */
  readonly from: string;
  readonly to: string;
  readonly file: RawPath;
  readonly maxBytes: number;
}

/** Copies one file with its mode. Follows no link, in neither folder, and replaces nothing. */
export async function copyPlainFile({
  from,
  to,
  file,
  maxBytes,
}: CopyRequest): Promise<{ readonly bytes: number } | LeftOutReason> {
  const source = await openPlain(inside(from, file));
  if (typeof source === "string") return source;
  try {
    const stats = await source.stat();
    if (!stats.isFile()) return "not_a_file";
    if (stats.size > maxBytes) return "too_large";
    if (!(await makeFolders(to, file))) return "in_the_way";
    const target = await makePlain(inside(to, file));
    if (typeof target === "string") return target;
    try {
      const bytes = await copyBytes(source, target, maxBytes);
      if (bytes === null) {
        await rm(inside(to, file), { force: true });
        return "too_large";
      }
      await target.chmod(stats.mode & 0o777);
      return { bytes };
    } finally {
      await target.close();
    }
  } catch {
    return "unreadable";
  } finally {
    await source.close();
  }
}

async function openPlain(file: Buffer): Promise<FileHandle | LeftOutReason> {
  // A pipe must not keep us waiting.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    return await verified(await open(file, flags), file);
  } catch (error) {
    const isLink = error instanceof Error && "code" in error && error.code === "ELOOP";
    return isLink ? "not_a_file" : "unreadable";
  }
}

/** New files are readable for nobody else until they have their mode. */
async function makePlain(file: Buffer): Promise<FileHandle | LeftOutReason> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(file, flags, 0o600).catch(() => null);
  return handle === null ? "exists" : verified(handle, file);
}

/** A folder of the path may have become a link before the file was opened. */
async function verified(handle: FileHandle, file: Buffer): Promise<FileHandle | LeftOutReason> {
  const opened = await readlink(`/proc/self/fd/${handle.fd}`, { encoding: "buffer" }).catch(() =>
    realpath(file, { encoding: "buffer" }).catch(() => null),
  );
  if (opened !== null && Buffer.compare(opened, file) === 0) return handle;
  await handle.close();
  return "not_a_file";
}

/** Makes the folders around the file. False if one of them is something else. */
async function makeFolders(root: string, file: RawPath): Promise<boolean> {
  for (let end = file.indexOf("/"); end >= 0; end = file.indexOf("/", end + 1)) {
    const folder = inside(root, file.slice(0, end));
    await mkdir(folder).catch(() => {});
    if ((await lstat(folder).catch(() => null))?.isDirectory() !== true) return false;
  }
  return true;
}

/** Null if it has become longer than allowed. */
async function copyBytes(
  source: FileHandle,
  target: FileHandle,
  maxBytes: number,
): Promise<number | null> {
  const buffer = Buffer.alloc(256 * 1024);
  let total = 0;
  for (;;) {
    const { bytesRead } = await source.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return total;
    total += bytesRead;
    if (total > maxBytes) return null;
    await target.writeFile(buffer.subarray(0, bytesRead));
  }
}

function inside(root: string, file: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(file, "latin1")]);
}
