import { lstat, readdir } from "node:fs/promises";
import type { RawPath } from "../raw-path.ts";
import type { ChangedFile } from "../snapshot/changed-file.ts";
import { SNAPSHOT_LIMITS } from "../snapshot/take-snapshot.ts";

/** Files that cannot be written, because something that stays is in their place. `kept`: other files that stay. */
export async function findBlocked(
  folder: string,
  files: readonly ChangedFile[],
  kept: ReadonlyMap<RawPath, unknown> = new Map(),
): Promise<readonly RawPath[]> {
  const removed = new Set<string>(
    files.filter(({ after }) => after === null).map((file) => file.path),
  );
  const isBlocked = async (file: ChangedFile): Promise<boolean> => {
    // The snapshot has an older state of a file that is too large now.
    if (file.before !== null)
      return ((await statRaw(folder, file.path))?.size ?? 0) > SNAPSHOT_LIMITS.fileBytes;
    return (
      (await hasOtherParent(folder, file.path, removed, kept)) ||
      (await hasOtherContent(folder, file.path, removed))
    );
  };
  const blocked: RawPath[] = [];
  for (const file of files) {
    if (await isBlocked(file)) blocked.push(file.path);
  }
  return blocked;
}

/** Whether a part of its path is a file that stays. */
async function hasOtherParent(
  folder: string,
  file: RawPath,
  removed: ReadonlySet<string>,
  kept: ReadonlyMap<string, unknown>,
): Promise<boolean> {
  for (let end = file.indexOf("/"); end >= 0; end = file.indexOf("/", end + 1)) {
    const parent = file.slice(0, end);
    if (kept.has(parent)) return true;
    const stats = await statRaw(folder, parent);
    if (stats === null) return false;
    if (!stats.isDirectory() && !removed.has(parent)) return true;
  }
  return false;
}

/** Whether the file exists already, or a folder in its place has content that stays. */
async function hasOtherContent(
  folder: string,
  file: string,
  removed: ReadonlySet<string>,
): Promise<boolean> {
  if (removed.has(file)) return false;
  const stats = await statRaw(folder, file);
  if (stats === null) return false;
  if (!stats.isDirectory()) return true;
  const names = await readdir(rawPath(folder, file), { encoding: "buffer" });
  for (const name of names)
    if (await hasOtherContent(folder, `${file}/${name.toString("latin1")}`, removed)) return true;
  return false;
}

async function statRaw(folder: string, file: string) {
  return lstat(rawPath(folder, file)).catch(() => null);
}

function rawPath(folder: string, file: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(file, "latin1")]);
}
