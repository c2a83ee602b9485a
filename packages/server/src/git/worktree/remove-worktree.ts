import { lstat } from "node:fs/promises";
import { GitFault } from "../git-fault.ts";
import type { GitOptions, OwnGitFolder } from "../own-git-folder.ts";
import type { RawPath } from "../raw-path.ts";
import { compareTrees } from "../snapshot/compare.ts";
import { forgetFolder, openWorkFolder } from "../work-folder.ts";
import { keepWork, refuseOtherRefs } from "./keep-work.ts";
import { branchOf, commitOf, findWorktree } from "./read-worktree.ts";
import { BASE_REF, dropRegistrations, type Registration } from "./registrations.ts";
import { removeFiles } from "./remove-files.ts";
import { readContent, readIndexOf, treeOf, type WorktreeContent } from "./worktree-content.ts";
import { worktreeCommand } from "./worktree-command.ts";

export interface RemoveRequest {
  readonly repository: string;
  readonly folder: string;
  /** The branch that was made for the worktree. */
  readonly branch: string;
  /** The ref that keeps the work, such as `refs/holdfast/<session>/worktree`. */
  readonly keepAs: string;
  /** Also if there is work that is not committed, or somebody has locked the worktree. */
  readonly force: boolean;
}

export type RemoveResult =
  | {
      readonly removed: true;
      /** The commit that `keepAs` leads to; null if there was nothing to keep. */
      readonly kept: string | null;
      /** Whether the branch is gone, because all of its commits are in other branches. */
      readonly branchRemoved: boolean;
    }
  | {
      readonly removed: false;
      /**
       * `cannot_be_kept`: there are other repositories in it, or files that are too large; also refused with `force`. `other`:
       * the folder is not a worktree of this repository.
       */
      readonly why: "not_clean" | "cannot_be_kept" | "locked" | "other";
      readonly message: string;
      /** Files with work that is not committed. The first of them. */
      readonly files: readonly RawPath[];
      /** The number of all of them. */
      readonly changedFiles: number;
      readonly repositories: readonly RawPath[];
    };

type Refusal = Extract<RemoveResult, { removed: false }>;

/** So many files are named. */
const MAX_NAMED = 100;

/**
 * Removes a worktree: its folder, what the repository knows of it, and its branch if no commit is lost with it. Files that Git
 * ignores are not kept. If the process is killed, the same call goes on.
 */
export async function removeWorktree(
  request: RemoveRequest,
  options: GitOptions,
): Promise<RemoveResult> {
  const { repository, folder, keepAs, force } = request;
  refuseOtherRefs(keepAs);
  const main = await openMain(repository, options);
  const found = await findWorktree(main, folder, options);
  if (found.found === "other")
    return refusal("other", `The folder ${folder} is not a worktree of ${repository}.`);
  if (found.found === "nothing") {
    await forgetFolder(folder, options);
    return finish(main, request, null, null);
  }
  const { registrations } = found;
  const lock = registrations.find((each) => each.lock !== null)?.lock ?? null;
  if (lock !== null && found.found !== "half_made" && !force)
    return refusal("locked", `The worktree is locked${lock === "" ? "" : `: ${lock}`}.`);
  const [first] = registrations;
  const own = found.found === "worktree" ? found.own : null;
  const base = first === undefined ? null : await commitOf(main, BASE_REF, gitFolder(first));
  let kept: string | null = null;
  if (own !== null) {
    const content = await readContent(own);
    const before = content.isClean ? null : await findKept(own, content, keepAs);
    const refused = refuse(content, force || before !== null);
    if (refused !== null) return refused;
    const ref = `refs/heads/${request.branch}`;
    if (before !== null) kept = before;
    else if (!content.isClean || (await isOnlyHere(main, content.head, base, ref)))
      kept = await keepWork(own, content, keepAs);
    await removeFiles(main, folder);
  } else {
    for (const each of registrations) kept = (await keepRest(main, each, request, base)) ?? kept;
    await removeFiles(main, folder);
  }
  await dropRegistrations(main, registrations);
  await forgetFolder(folder, options);
  return finish(main, request, kept, base);
}

async function openMain(repository: string, options: GitOptions): Promise<OwnGitFolder> {
  if ((await lstat(repository).catch(() => null)) === null)
    throw new GitFault(`The repository ${repository} does not exist any more.`);
  return openWorkFolder(repository, options);
}

function refuse(content: WorktreeContent, isAllowed: boolean): Refusal | null {
  const { changes, repositories, tooLarge, isClean } = content;
  const files = changes.map((each) => each.path);
  const there = { files: files.slice(0, MAX_NAMED), changedFiles: files.length, repositories };
  if (repositories.length > 0 || tooLarge > 0)
    return refusal(
      "cannot_be_kept",
      repositories.length > 0
        ? "There are other repositories in the worktree, which would be lost."
        : "There are files in the worktree that are too large to be kept.",
      there,
    );
  if (isClean || isAllowed) return null;
  return refusal("not_clean", "There is work in the worktree that is not committed.", there);
}

/**
 * The commit in which an earlier attempt has kept everything, before it was killed while it removed files; null if there is
 * none. The files that are left are not kept again, because that would put a commit without the removed ones before it.
 */
async function findKept(
  own: OwnGitFolder,
  { head, tree, staged }: WorktreeContent,
  keepAs: string,
): Promise<string | null> {
  const kept = await commitOf(own, keepAs);
  if (kept === null || (await commitOf(own, `${kept}^1`)) !== head) return null;
  const headTree = await treeOf(own, head);
  if (staged !== headTree && staged !== (await treeOf(own, kept))) return null;
  const changes = await compareTrees(own, kept, tree, { renames: false });
  return changes.every(({ change }) => change === "deleted") ? kept : null;
}

function refusal(
  why: Refusal["why"],
  message: string,
  there: Pick<Refusal, "files" | "changedFiles" | "repositories"> = {
    files: [],
    changedFiles: 0,
    repositories: [],
  },
): Refusal {
  return { removed: false, why, message, ...there };
}

/** Keeps the commit and the index of a worktree whose folder was deleted. */
async function keepRest(
  main: OwnGitFolder,
  registration: Registration,
  { keepAs, branch }: RemoveRequest,
  base: string | null,
): Promise<string | null> {
  const head = await commitOf(main, "HEAD", gitFolder(registration));
  if (head === null) return null;
  const index = await readIndexOf(main, registration.path);
  const headTree = await treeOf(main, head);
  const tree = index.tree ?? headTree;
  if (tree === headTree && !(await isOnlyHere(main, head, base, `refs/heads/${branch}`)))
    return null;
  return keepWork(main, { head, tree, staged: null, merging: null }, keepAs);
}

function gitFolder({ path }: Registration): Readonly<Record<string, string>> {
  return { GIT_DIR: path };
}

/** Whether a commit is in no other branch, tag or remote branch, and is not the one that the worktree began with. */
async function isOnlyHere(
  main: OwnGitFolder,
  commit: string | null,
  base: string | null,
  except: string,
): Promise<boolean> {
  if (commit === null || commit === base) return false;
  const places = ["refs/heads", "refs/tags", "refs/remotes"];
  const { stdout } = await main.repositoryGit([
    "for-each-ref",
    "--format=%(refname)",
    `--contains=${commit}`,
    ...places,
  ]);
  const refs = stdout.toString("utf8").split("\n");
  return !refs.some((ref) => ref !== "" && ref !== except);
}

async function finish(
  main: OwnGitFolder,
  { branch, keepAs }: RemoveRequest,
  kept: string | null,
  base: string | null,
): Promise<RemoveResult> {
  return {
    removed: true,
    kept: kept ?? (await commitOf(main, keepAs)),
    branchRemoved: await removeBranch(main, branch, base),
  };
}

async function removeBranch(
  main: OwnGitFolder,
  branch: string,
  base: string | null,
): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  const commit = await commitOf(main, ref);
  if (commit === null) return false;
  if (await isOnlyHere(main, commit, base, ref)) return false;
  if (await isCheckedOut(main, ref)) return false;
  const { code } = await main.repositoryGit(["update-ref", "-d", ref, commit], {
    codes: [0, 1, 128],
  });
  if (code === 128) throw new GitFault(`The branch "${branch}" could not be removed.`);
  return code === 0;
}

/** In the main folder or in another worktree. */
async function isCheckedOut(main: OwnGitFolder, ref: string): Promise<boolean> {
  const { stdout } = await worktreeCommand(main, ["list", "--porcelain", "-z"]);
  const lines = stdout.toString("utf8").split("\0");
  return lines.includes(`branch ${ref}`) || `refs/heads/${(await branchOf(main)) ?? ""}` === ref;
}
