import { GitFault } from "../git-fault.ts";
import type { GitOptions, OwnGitFolder } from "../own-git-folder.ts";
import type { RawPath } from "../raw-path.ts";
import { openWorkFolder } from "../work-folder.ts";
import { commitOf, findWorktree } from "../worktree/read-worktree.ts";
import { readContent } from "../worktree/worktree-content.ts";
import { identityVariables } from "./identity.ts";
import { isAncestor, mergeCommits } from "./merge-trees.ts";
import { moveBranch, type MoveResult } from "./move-branch.ts";

export interface MergeRequest {
  /** A working folder of the repository. */
  readonly repository: string;
  /** The worktree with the branch; null if there is none any more. */
  readonly worktreeFolder: string | null;
  readonly branch: string;
  /** The branch that gets the commits. */
  readonly into: string;
}

export type MergeResult =
  | {
      readonly merged: true;
      /** `nothing`: the branch had all commits already. */
      readonly how: "fast_forward" | "merge" | "nothing";
      readonly commit: string;
    }
  | { readonly merged: false; readonly why: "conflicts"; readonly files: readonly RawPath[] }
  /** The worktree has work that is not committed, which the merge would leave out. */
  | { readonly merged: false; readonly why: "not_committed"; readonly files: readonly RawPath[] }
  | ({ readonly merged: false } & Omit<Extract<MoveResult, { moved: false }>, "moved">);

/** Merges a branch into another one. Either everything is done, or nothing. */
export async function mergeInto(request: MergeRequest, options: GitOptions): Promise<MergeResult> {
  const { repository, branch, into } = request;
  const own = await openWorkFolder(repository, options);
  const [source, target] = [await branchCommit(own, branch), await branchCommit(own, into)];
  const files = await findUncommitted(own, request, options);
  if (files.length > 0) return { merged: false, why: "not_committed", files };
  if (await isAncestor(own, source, target))
    return { merged: true, how: "nothing", commit: target };
  const identity = await identityVariables(own, options);
  const isForward = await isAncestor(own, target, source);
  let commit = source;
  if (!isForward) {
    const result = await mergeCommits(own, target, source);
    if (!result.merged) return { merged: false, why: "conflicts", files: result.conflicts };
    const { stdout } = await own.git(["commit-tree", result.tree, "-p", target, "-p", source], {
      input: `Merge branch '${branch}' into ${into}\n`,
      env: identity,
    });
    commit = stdout.toString("latin1").trim();
  }
  const moved = await moveBranch(
    own,
    {
      ref: `refs/heads/${into}`,
      from: target,
      to: commit,
      message: `merge ${branch}: ${isForward ? "Fast-forward" : "Merge made by Holdfast"}`,
      identity,
    },
    options,
  );
  if (moved.moved) return { merged: true, how: isForward ? "fast_forward" : "merge", commit };
  const { why, folder, files: inTheWay } = moved;
  return { merged: false, why, folder, files: inTheWay };
}

async function branchCommit(own: OwnGitFolder, branch: string): Promise<string> {
  const commit = await commitOf(own, `refs/heads/${branch}`);
  if (commit === null) throw new GitFault(`The repository has no branch "${branch}".`);
  return commit;
}

async function findUncommitted(
  own: OwnGitFolder,
  { worktreeFolder }: MergeRequest,
  options: GitOptions,
): Promise<readonly RawPath[]> {
  if (worktreeFolder === null) return [];
  const found = await findWorktree(own, worktreeFolder, options);
  if (found.found !== "worktree") return [];
  const { changes } = await readContent(found.own);
  return changes.map((each) => each.path);
}
