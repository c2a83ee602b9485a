import { findGitFolders } from "../find-git-folders.ts";
import { GitFault } from "../git-fault.ts";
import type { Environment } from "../git-variables.ts";
import type { GitOptions, OwnGitFolder } from "../own-git-folder.ts";
import type { RawPath } from "../raw-path.ts";
import { compareTrees } from "../snapshot/compare.ts";
import { openWorkFolder } from "../work-folder.ts";
import { readContent, treeOf } from "../worktree/worktree-content.ts";
import { findInTheWay } from "./in-the-way.ts";
import { refuseUnfinished } from "./unfinished.ts";
import { openIndexDraft } from "./users-index.ts";

/** A branch that gets another commit. */
export interface Move {
  /** Such as `refs/heads/main`. */
  readonly ref: string;
  readonly from: string;
  readonly to: string;
  /** For the reflog. */
  readonly message: string;
  /** Who moves it, for the reflog. */
  readonly identity: Environment;
}

export type MoveResult =
  | { readonly moved: true }
  | {
      readonly moved: false;
      /**
       * `not_clean`: the folder in which the branch is checked out has changes. `in_the_way`: it has files where new ones would
       * be. `moved`: the branch has got another commit meanwhile.
       */
      readonly why: "not_clean" | "in_the_way" | "moved";
      readonly folder: string | null;
      readonly files: readonly RawPath[];
    };

const MAX_NAMED = 100;

/**
 * Moves a branch, and the files of the folder in which it is checked out. If anything is in the way, nothing changes. The files
 * come first: if the process is killed in the middle, Git shows them as changes of the old commit.
 */
export async function moveBranch(
  own: OwnGitFolder,
  move: Move,
  options: GitOptions,
): Promise<MoveResult> {
  const folder = await findCheckedOut(own, move.ref);
  if (folder === null) return (await updateRef(own, move)) ? { moved: true } : MOVED;
  const there = folder === own.folders.folder ? own : await openWorkFolder(folder, options);
  return moveFiles(there, move);
}

const MOVED: MoveResult = { moved: false, why: "moved", folder: null, files: [] };

async function moveFiles(own: OwnGitFolder, move: Move): Promise<MoveResult> {
  const { folder } = own.folders;
  const { from, to } = move;
  await refuseUnfinished(own);
  const changed = await findChanges(own, from);
  if (changed !== null)
    return { moved: false, why: "not_clean", folder, files: changed.slice(0, MAX_NAMED) };
  const changes = await compareTrees(own, from, to, { renames: false });
  const blocking = await findInTheWay(folder, changes);
  if (blocking.length > 0)
    return { moved: false, why: "in_the_way", folder, files: blocking.slice(0, MAX_NAMED) };
  const index = await openIndexDraft(own, from);
  const readTree = (before: string, after: string) =>
    own.git(["read-tree", "-m", "-u", "--no-recurse-submodules", before, after], {
      index: index.path,
      writesFiles: true,
    });
  try {
    // Old times and sizes in the index would look like changes.
    await own.git(["update-index", "-q", "--refresh"], { index: index.path, codes: [0, 1] });
    await readTree(from, to);
    let isInstalled = false;
    const goBack = async (): Promise<void> => {
      if (isInstalled) await index.restore();
      await readTree(to, from);
    };
    try {
      await index.install();
      isInstalled = true;
      if (await updateRef(own, move)) return { moved: true };
    } catch (error) {
      await goBack();
      throw error;
    }
    await goBack();
    return MOVED;
  } finally {
    await index.close();
  }
}

/** Files that are not as in the commit; null if there are none. New files do not count. */
async function findChanges(own: OwnGitFolder, head: string): Promise<readonly RawPath[] | null> {
  const { changes, staged } = await readContent(own);
  const tree = await treeOf(own, head);
  const files = changes.filter(({ change }) => change !== "added").map((each) => each.path);
  if (files.length > 0) return files;
  if (staged === tree) return null;
  if (staged === null) return [];
  return (await compareTrees(own, tree, staged, { renames: false })).map((each) => each.path);
}

async function updateRef(own: OwnGitFolder, move: Move): Promise<boolean> {
  const { ref, from, to, message, identity } = move;
  const log = ["-c", "core.logAllRefUpdates=true"];
  const { code, stderr } = await own.repositoryGit(
    [...log, "update-ref", "-m", message, ref, to, from],
    { codes: [0, 1, 128], env: identity },
  );
  if (code !== 0 && !/but expected|unable to resolve/u.test(stderr))
    throw new GitFault("The branch could not be moved.", { detail: stderr });
  return code === 0;
}

/** The folder of the repository in which the branch is checked out: the main one or a linked worktree. */
async function findCheckedOut(own: OwnGitFolder, ref: string): Promise<string | null> {
  const { stdout } = await own.repositoryGit(["worktree", "list", "--porcelain", "-z"]);
  for (const record of stdout.toString("utf8").split("\0\0")) {
    const lines = record.split("\0");
    const folder = lines.find((line) => line.startsWith("worktree "))?.slice("worktree ".length);
    if (folder === undefined || !lines.includes(`branch ${ref}`)) continue;
    const folders = await findGitFolders(folder);
    if (typeof folders === "string") {
      if (lines.some((line) => line.startsWith("prunable"))) continue;
      throw new GitFault(
        `The branch is checked out in ${folder}, where Git cannot be used: ${folders}.`,
      );
    }
    if (folders.common !== own.folders.common)
      throw new GitFault(`The branch is checked out in ${folder}, which is another repository.`);
    return folder;
  }
  return null;
}
