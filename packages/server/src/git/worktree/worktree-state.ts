import type { GitOptions, OwnGitFolder } from "../own-git-folder.ts";
import { openWorkFolder } from "../work-folder.ts";
import { branchOf, commitOf, findWorktree } from "./read-worktree.ts";
import { readContent } from "./worktree-content.ts";

export type WorktreeState =
  | {
      readonly exists: false;
      /** `without_folder`: the repository has it, but its folder is gone. `other`: the folder is something else. */
      readonly why: "nothing" | "half_made" | "without_folder" | "other";
    }
  | {
      readonly exists: true;
      /** Null if none is checked out. */
      readonly branch: string | null;
      /** Null before the first commit. */
      readonly head: string | null;
      /** Whether everything is committed. Files that Git ignores do not count. */
      readonly isClean: boolean;
      /** The number of files that differ from the commit. */
      readonly changedFiles: number;
      /** Commits since `base`, and commits that `base` has more. Null if one of them does not exist. */
      readonly ahead: number | null;
      readonly behind: number | null;
    };

/** `base`: a commit or a branch. */
export async function worktreeState(
  {
    repository,
    folder,
    base,
  }: { readonly repository: string; readonly folder: string; readonly base: string },
  options: GitOptions,
): Promise<WorktreeState> {
  const main = await openWorkFolder(repository, options);
  const found = await findWorktree(main, folder, options);
  if (found.found !== "worktree") return { exists: false, why: found.found };
  const { own } = found;
  const [branch, content, start] = [
    await branchOf(own),
    await readContent(own),
    await commitOf(own, base),
  ];
  const { head, isClean, changes } = content;
  const distance =
    start === null || head === null
      ? { ahead: null, behind: null }
      : await countCommits(own, start, head);
  return { exists: true, branch, head, isClean, changedFiles: changes.length, ...distance };
}

export async function countCommits(
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
