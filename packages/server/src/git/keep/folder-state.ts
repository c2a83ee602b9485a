import type { GitOptions, OwnGitFolder } from "../own-git-folder.ts";
import { openWorkFolder } from "../work-folder.ts";
import { branchOf, commitOf } from "../worktree/read-worktree.ts";
import { readContent } from "../worktree/worktree-content.ts";

/** The branch of a working folder, and the work in it. */
export interface FolderState {
  /** Null if none is checked out. */
  readonly branch: string | null;
  /** Whether everything is committed. Files that Git ignores do not count. */
  readonly isClean: boolean;
  readonly changedFiles: number;
  /** Commits that only the folder has, and that only the other branch has. Null if one of them has no commit. */
  readonly ahead: number | null;
  readonly behind: number | null;
}

/** `other`: the branch with which its commits are compared; null for none. */
export async function folderState(
  { folder, other }: { readonly folder: string; readonly other: string | null },
  options: GitOptions,
): Promise<FolderState> {
  const own = await openWorkFolder(folder, options);
  const { head, isClean, changes } = await readContent(own);
  const start = other === null ? null : await commitOf(own, other);
  const distance =
    start === null || head === null
      ? { ahead: null, behind: null }
      : await countCommits(own, start, head);
  return { branch: await branchOf(own), isClean, changedFiles: changes.length, ...distance };
}

export async function checkedOutBranch(
  folder: string,
  options: GitOptions,
): Promise<string | null> {
  return branchOf(await openWorkFolder(folder, options));
}

async function countCommits(
  own: OwnGitFolder,
  start: string,
  head: string,
): Promise<{ readonly ahead: number; readonly behind: number }> {
  const { stdout } = await own.git([
    "rev-list",
    "--left-right",
    "--count",
    `${start}...${head}`,
    "--",
  ]);
  const [behind = 0, ahead = 0] = stdout.toString("latin1").trim().split("\t").map(Number);
  return { ahead, behind };
}
