import { GitFault } from "../git-fault.ts";
import type { OwnGitFolder } from "../own-git-folder.ts";
import { commitOf } from "./read-worktree.ts";
import { treeOf, type WorktreeContent } from "./worktree-content.ts";

/** A commit of Holdfast itself, which nobody sees in a branch. */
const IDENTITY = {
  GIT_AUTHOR_NAME: "Holdfast",
  GIT_AUTHOR_EMAIL: "holdfast@localhost",
  GIT_COMMITTER_NAME: "Holdfast",
  GIT_COMMITTER_EMAIL: "holdfast@localhost",
};

/**
 * Keeps the work of a folder with a ref. It leads to a commit with all files, whose first parent is the commit that was checked
 * out. Further parents are the index, if it is different, a merge that was not finished, and what the ref has kept before.
 */
export async function keepWork(
  own: OwnGitFolder,
  { head, tree, staged, merging }: Pick<WorktreeContent, "head" | "tree" | "staged" | "merging">,
  ref: string,
): Promise<string> {
  refuseOtherRefs(ref);
  const before = await commitOf(own, ref);
  const headTree = await treeOf(own, head);
  const isStaged = staged !== null && staged !== tree && staged !== headTree;
  const index = isStaged ? await commitTree(own, staged, [head], "The index") : null;
  const parents = [head, index, merging].filter((each) => each !== null);
  if (before !== null && (await isSame(own, before, tree, parents, isStaged))) return before;
  const commit = await commitTree(own, tree, [...parents, before], "The work in a worktree");
  await own.repositoryGit(["update-ref", ref, commit, before ?? "0".repeat(commit.length)]);
  return commit;
}

export function refuseOtherRefs(ref: string): void {
  if (!/^refs\/holdfast\/[\w-]+(?:\/[\w-]+)+$/u.test(ref))
    throw new GitFault(`"${ref}" is not a ref in which Holdfast keeps work.`);
}

async function commitTree(
  own: OwnGitFolder,
  tree: string,
  parents: readonly (string | null)[],
  message: string,
): Promise<string> {
  const args = parents.flatMap((parent) => (parent === null ? [] : ["-p", parent]));
  const { stdout } = await own.git(["commit-tree", tree, ...args], {
    input: `${message}\n`,
    env: IDENTITY,
  });
  return stdout.toString("latin1").trim();
}

/** Whether the commit keeps the same already: an attempt to remove the worktree was cut off. */
async function isSame(
  own: OwnGitFolder,
  commit: string,
  tree: string,
  parents: readonly string[],
  isStaged: boolean,
): Promise<boolean> {
  if (isStaged || (await treeOf(own, commit)) !== tree) return false;
  const { stdout } = await own.git(["rev-list", "--parents", "-n", "1", commit, "--"]);
  const [, ...kept] = stdout.toString("latin1").trim().split(" ");
  return parents.every((parent, at) => kept[at] === parent);
}
