import { findGitFolders } from "../find-git-folders.ts";
import { GitFault } from "../git-fault.ts";
import type { Environment } from "../git-variables.ts";
import type { GitOptions, OwnGitFolder } from "../own-git-folder.ts";
import { joinPaths, type RawPath } from "../raw-path.ts";
import type { ChangedFile } from "../snapshot/changed-file.ts";
import { compareTrees } from "../snapshot/compare.ts";
import { openWorkFolder } from "../work-folder.ts";
import { worktreeCommand } from "../worktree/worktree-command.ts";
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
 * come first: if the process is killed in the middle, Git shows them as changes of the old commit, and the next call goes on.
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
  const changes = await compareTrees(own, from, to, { renames: false });
  const { done, others } = await compareFiles(own, from, to, changes);
  if (others !== null)
    return { moved: false, why: "not_clean", folder, files: others.slice(0, MAX_NAMED) };
  const blocking = await findInTheWay(
    folder,
    changes.filter((each) => !done.includes(each.path)),
  );
  if (blocking.length > 0)
    return { moved: false, why: "in_the_way", folder, files: blocking.slice(0, MAX_NAMED) };
  const index = await openIndexDraft(own, from);
  const readTree = (before: string, after: string) =>
    own.git(["read-tree", "-m", "-u", "--no-recurse-submodules", before, after], {
      index: index.path,
      writesFiles: true,
    });
  try {
    const now = await writeNow(own, index.path, from, done);
    await readTree(now, to);
    let isInstalled = false;
    const goBack = async (): Promise<void> => {
      if (isInstalled) await index.restore();
      await readTree(to, now);
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

/** How the working files differ from the old commit. */
interface Comparison {
  /** Files that are already as in the new commit: an earlier attempt was killed. */
  readonly done: readonly RawPath[];
  /** Files with other changes; null if there are none. New files that the new commit does not have are no changes. */
  readonly others: readonly RawPath[] | null;
}

async function compareFiles(
  own: OwnGitFolder,
  from: string,
  to: string,
  changes: readonly ChangedFile[],
): Promise<Comparison> {
  const { tree, staged } = await readContent(own);
  const wanted = new Map(changes.map((each) => [each.path, each]));
  const differing = await compareTrees(own, from, tree, { renames: false });
  const isDone = ({ path, after, modeAfter }: ChangedFile): boolean => {
    const target = wanted.get(path);
    return target !== undefined && target.after === after && target.modeAfter === modeAfter;
  };
  const done = differing.filter(isDone).map((each) => each.path);
  const others = differing.filter((each) => each.before !== null && !isDone(each));
  if (others.length > 0) return { done, others: others.map((each) => each.path) };
  const [before, after] = [await treeOf(own, from), await treeOf(own, to)];
  if (staged === before || staged === after) return { done, others: null };
  if (staged === null) return { done, others: [] };
  const index = await compareTrees(own, before, staged, { renames: false });
  return { done, others: index.map((each) => each.path) };
}

/** Makes the index agree with the working files: the old commit, with what is done already. Returns its tree. */
async function writeNow(
  own: OwnGitFolder,
  index: string,
  from: string,
  done: readonly RawPath[],
): Promise<string> {
  await own.git(["read-tree", "-m", from], { index });
  await own.git(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], {
    index,
    input: joinPaths(done),
  });
  // Old times and sizes in the index would look like changes.
  await own.git(["update-index", "-q", "--refresh"], { index, codes: [0, 1] });
  const { stdout } = await own.git(["write-tree"], { index });
  return stdout.toString("latin1").trim();
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
  const { stdout } = await worktreeCommand(own, ["list", "--porcelain", "-z"]);
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
