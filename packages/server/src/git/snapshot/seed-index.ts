import { lstat, rename, rm } from "node:fs/promises";
import path from "node:path";
import { newDraft, removeDraft } from "../drafts.ts";
import { GitFault } from "../git-fault.ts";
import type { OwnGitFolder } from "../own-git-folder.ts";
import { splitPaths } from "../raw-path.ts";
import { copyIndex } from "./copy-index.ts";

/**
 * The first index is a copy of the user's, which knows all times and sizes, unless it has marks that would hide changes.
 * Otherwise all files are read once.
 */
export async function seedIndex(own: OwnGitFolder, head: string | null): Promise<void> {
  const draft = path.join(own.path, newDraft());
  try {
    if (!(await copyUsersIndex(own, draft))) {
      await rm(draft, { force: true });
      await own.git(head === null ? ["read-tree", "--empty"] : ["read-tree", head], {
        index: draft,
      });
    }
    await rename(draft, own.index);
  } finally {
    await removeDraft(draft);
  }
}

async function copyUsersIndex(own: OwnGitFolder, draft: string): Promise<boolean> {
  if (own.hasFilters) return false;
  const source = path.join(own.folders.own, "index");
  const stats = await lstat(source).catch(() => null);
  if (stats?.isFile() !== true) return false;
  try {
    await copyIndex(source, draft);
    // `H` is a plain entry. Others are unmerged, assumed to be unchanged, or left out of the working files.
    const { stdout } = await own.git(["ls-files", "-v", "-z"], { index: draft });
    return splitPaths(stdout).every((line) => line.startsWith("H "));
  } catch (error) {
    if (error instanceof GitFault) return false;
    throw error;
  }
}
