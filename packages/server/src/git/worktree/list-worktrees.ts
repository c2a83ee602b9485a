import { lstat } from "node:fs/promises";
import type { GitOptions } from "../own-git-folder.ts";
import { openWorkFolder } from "../work-folder.ts";
import { BRANCH_PREFIX } from "./branch-name.ts";
import { branchOf, commitOf } from "./read-worktree.ts";
import { BASE_REF, folderInLock, readRegistrations } from "./registrations.ts";

/** A worktree that Holdfast has made. */
export interface ListedWorktree {
  readonly folder: string;
  /** `half_made`: Holdfast was killed while it made it. `without_folder`: its folder is gone. */
  readonly state: "whole" | "half_made" | "without_folder";
  readonly branch: string | null;
  readonly head: string | null;
  /** The commit at which its branch began; null if it is not known. */
  readonly base: string | null;
}

/** All worktrees of a repository that Holdfast has made, sorted by folder. Leftovers are among them. */
export async function listWorktrees(
  { repository }: { readonly repository: string },
  options: GitOptions,
): Promise<readonly ListedWorktree[]> {
  const main = await openWorkFolder(repository, options);
  const listed: ListedWorktree[] = [];
  for (const { path, folder: registered, lock } of await readRegistrations(main.folders.common)) {
    const env = { GIT_DIR: path };
    const begun = folderInLock(lock);
    const folder = registered ?? begun;
    if (folder === null) continue;
    const branch = await branchOf(main, env);
    const base = await commitOf(main, BASE_REF, env);
    const isOurs = begun !== null || base !== null || branch?.startsWith(BRANCH_PREFIX) === true;
    if (!isOurs) continue;
    const isThere = (await lstat(folder).catch(() => null))?.isDirectory() === true;
    const state = begun !== null ? "half_made" : isThere ? "whole" : "without_folder";
    listed.push({ folder, state, branch, head: await commitOf(main, "HEAD", env), base });
  }
  return listed.toSorted((left, right) => (left.folder < right.folder ? -1 : 1));
}
