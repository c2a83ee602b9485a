import { randomUUID } from "node:crypto";
import { copyFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { OwnGitFolder } from "../own-git-folder.ts";
import { compareTrees } from "../snapshot/compare.ts";
import type { KnownTree } from "../snapshot/take-snapshot.ts";
import { treeWith } from "./plan-restore.ts";

/**
 * Changes the working files from one tree to another. Throws a `GitFault` and changes nothing if a file is not as in `now`. The
 * caller has just taken the snapshot `now`. If the process is ended in the middle, `finishRestore` ends it.
 */
export async function applyRestore(
  own: OwnGitFolder,
  known: KnownTree,
  { now, result }: { readonly now: string; readonly result: string },
): Promise<void> {
  if (now === result) return;
  const draft = path.join(own.path, `draft-${randomUUID()}`);
  try {
    await copyFile(own.index, draft);
    await own.git(["read-tree", "-m", "-u", "--no-recurse-submodules", now, result], {
      index: draft,
      writesFiles: true,
    });
    await rename(draft, own.index);
    known.tree = result;
  } catch (error) {
    known.tree = null;
    throw error;
  } finally {
    await rm(draft, { force: true });
    await rm(`${draft}.lock`, { force: true });
  }
}

/**
 * The tree that a restoration from `now` to `result` leads to if it was ended in the middle: `current`, the files as they are,
 * with all changes of the restoration.
 */
export async function finishedTree(
  own: OwnGitFolder,
  current: string,
  { now, result }: { readonly now: string; readonly result: string },
): Promise<string> {
  const files = await compareTrees(own, now, result, { renames: false });
  return files.length === 0 ? current : treeWith(own, current, files);
}
