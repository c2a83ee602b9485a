import { GitFault } from "../git-fault.ts";
import type { OwnGitFolder } from "../own-git-folder.ts";
import { splitPaths, type RawPath } from "../raw-path.ts";

export type MergedTree =
  | { readonly merged: true; readonly tree: string }
  | { readonly merged: false; readonly conflicts: readonly RawPath[] };

/** Merges two commits without any working files. Runs no merge drivers of the repository. */
export async function mergeCommits(
  own: OwnGitFolder,
  ours: string,
  theirs: string,
): Promise<MergedTree> {
  await requireMergeTree(own);
  const { code, stdout, stderr, ended } = await own.git(
    ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs],
    { codes: [0, 1] },
  );
  if (ended !== null) throw new GitFault("The merge took too long.");
  const [tree, ...conflicts] = splitPaths(stdout);
  if (tree === undefined) throw new GitFault("git merge-tree failed.", { detail: stderr });
  return code === 0
    ? { merged: true, tree }
    : { merged: false, conflicts: [...new Set(conflicts)] };
}

/**
 * What `theirs` changed since `base`, made in `ours`. All are trees. Older versions of Git take no base, so commits are made
 * that have it as their parent.
 */
export async function replayTree(
  own: OwnGitFolder,
  trees: { readonly base: string; readonly ours: string; readonly theirs: string },
): Promise<MergedTree> {
  const base = await draftCommit(own, trees.base, null);
  const [ours, theirs] = [
    await draftCommit(own, trees.ours, base),
    await draftCommit(own, trees.theirs, base),
  ];
  if (ours === theirs) return { merged: true, tree: trees.ours };
  return mergeCommits(own, ours, theirs);
}

async function draftCommit(
  own: OwnGitFolder,
  tree: string,
  parent: string | null,
): Promise<string> {
  const { stdout } = await own.git(
    ["commit-tree", tree, ...(parent === null ? [] : ["-p", parent])],
    { input: "draft\n", env: DRAFT },
  );
  return stdout.toString("latin1").trim();
}

/** Always the same, so that the same drafts are one object. */
const DRAFT = Object.fromEntries(
  ["AUTHOR", "COMMITTER"].flatMap((role) => [
    [`GIT_${role}_NAME`, "Holdfast"],
    [`GIT_${role}_EMAIL`, "holdfast@localhost"],
    [`GIT_${role}_DATE`, "1000000000 +0000"],
  ]),
);

async function requireMergeTree(own: OwnGitFolder): Promise<void> {
  const { stdout } = await own.git(["version"]);
  const version = stdout.toString("utf8").trim();
  refuseOldGit(version);
}

/** `version`: what `git version` writes. */
export function refuseOldGit(version: string): void {
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/u.exec(version) ?? [];
  if (Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 38)) return;
  throw new GitFault(
    `Merging needs Git 2.38 or newer; this is ${version.replace(/^git version /u, "Git ")}.`,
  );
}

export async function isAncestor(
  own: OwnGitFolder,
  older: string,
  newer: string,
): Promise<boolean> {
  const { code } = await own.git(["merge-base", "--is-ancestor", older, newer], { codes: [0, 1] });
  return code === 0;
}
