import { lstat, readdir } from "node:fs/promises";
import type { RawPath } from "../raw-path.ts";
import type { ChangedFile } from "../snapshot/changed-file.ts";

/**
 * New files whose place is taken by something that is not tracked, which Git might overwrite if it is ignored. `changes` are
 * those of tracked files, without renames.
 */
export async function findInTheWay(
  folder: string,
  changes: readonly ChangedFile[],
): Promise<readonly RawPath[]> {
  const removed = new Set<string>(
    changes.filter(({ after }) => after === null).map((each) => each.path),
  );
  const found: RawPath[] = [];
  for (const { path, before, after } of changes) {
    if (before !== null || after === null) continue;
    if ((await hasOtherParent(folder, path, removed)) || (await hasOther(folder, path, removed)))
      found.push(path);
  }
  return found;
}

async function hasOtherParent(
  folder: string,
  file: string,
  removed: ReadonlySet<string>,
): Promise<boolean> {
  for (let end = file.indexOf("/"); end >= 0; end = file.indexOf("/", end + 1)) {
    const parent = file.slice(0, end);
    const stats = await lstat(inside(folder, parent)).catch(() => null);
    if (stats === null) return false;
    if (!stats.isDirectory()) return !removed.has(parent);
  }
  return false;
}

async function hasOther(
  folder: string,
  file: string,
  removed: ReadonlySet<string>,
): Promise<boolean> {
  const stats = await lstat(inside(folder, file)).catch(() => null);
  if (stats === null || removed.has(file)) return false;
  if (!stats.isDirectory()) return true;
  for (const name of await readdir(inside(folder, file), { encoding: "buffer" }))
    if (await hasOther(folder, `${file}/${name.toString("latin1")}`, removed)) return true;
  return false;
}

function inside(folder: string, file: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(file, "latin1")]);
}
