import { lstatSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import type { Mount } from "./mount.ts";

const MAX_BYTES = 4_096;

/**
 * The `.git` of the repository that the folder is a linked worktree of. The folder's own `.git` is a file that its
 * agents can write, so it is believed only when what it names points back: they cannot write there.
 */
export function worktreeMounts(folder: string): readonly Mount[] {
  try {
    const file = path.join(folder, ".git");
    const named = /^gitdir: (.+)$/mu.exec(readSmall(file))?.[1];
    if (named === undefined) return [];
    const own = realpathSync(path.resolve(folder, named));
    const all = path.dirname(own);
    const back = path.resolve(own, readSmall(path.join(own, "gitdir")).trim());
    const shared = path.dirname(all);
    if (path.basename(all) !== "worktrees" || path.basename(shared) !== ".git") return [];
    return back === file ? [{ kind: "write", path: shared }] : [];
  } catch {
    return [];
  }
}

/** A link would be theirs to point. */
function readSmall(file: string): string {
  const found = lstatSync(file);
  if (!found.isFile() || found.size > MAX_BYTES) throw new Error(`${file} is no small file`);
  return readFileSync(file, "utf8");
}
