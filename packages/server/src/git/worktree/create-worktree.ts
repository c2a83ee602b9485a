import { mkdir, rmdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { GitFault } from "../git-fault.ts";
import type { GitOptions, OwnGitFolder } from "../own-git-folder.ts";
import { beginMaking, endMaking, forgetFolder, isMaking, openWorkFolder } from "../work-folder.ts";
import { numberedBranch } from "./branch-name.ts";
import { copyIgnored, type Copied } from "./copy/copy-ignored.ts";
import { baseOf, branchOf, commitOf, findWorktree } from "./read-worktree.ts";
import {
  BASE_REF,
  baseInLock,
  dropRegistrations,
  findRegistrations,
  isBeingMade,
  makingLock,
} from "./registrations.ts";
import { removeFiles } from "./remove-files.ts";
import { worktreeCommand } from "./worktree-command.ts";

export interface CreateRequest {
  /** The real path of a working folder of the repository, which may be a linked worktree. */
  readonly repository: string;
  /** The real path that the new worktree gets. */
  readonly folder: string;
  /** The new branch. If it exists already, it gets a number. */
  readonly branch: string;
  /** The commit, branch or tag at which the branch begins; null: the commit that is checked out in `repository`. */
  readonly base: string | null;
  /** Patterns of ignored files that are copied, as in a `.gitignore`. */
  readonly copy: readonly string[];
}

export interface CreatedWorktree extends Copied {
  /** The branch that is checked out; the wanted one if there is none any more. */
  readonly branch: string;
  /** The commit at which the branch begins. */
  readonly base: string;
  readonly folder: string;
  /** Whether the worktree existed already, and nothing was done. */
  readonly existed: boolean;
}

/**
 * Makes a linked worktree on a new branch. It runs no program that the repository names, so filters do not convert its files. If
 * the process is killed, the same call makes it anew: until everything is done, the worktree has a lock that says so.
 */
export async function createWorktree(
  request: CreateRequest,
  options: GitOptions,
): Promise<CreatedWorktree> {
  for (let tries = 1; ; tries += 1) {
    // Without a sandbox, a command of a server that was killed may still write there.
    const mayBeDisturbed = tries < TRIES && (await isMaking(request.folder, options));
    try {
      return await tryCreate(request, options);
    } catch (error) {
      if (!mayBeDisturbed) throw error;
      await beginMaking(request.folder, options);
      await pause(PAUSE_MS);
    }
  }
}

const TRIES = 5;
const PAUSE_MS = 200;

async function tryCreate(request: CreateRequest, options: GitOptions): Promise<CreatedWorktree> {
  const { repository, folder } = request;
  const main = await openWorkFolder(repository, options);
  const found = await findWorktree(main, folder, options);
  switch (found.found) {
    case "worktree":
      await endMaking(folder, options);
      return existing(found.own, request);
    case "half_made":
      await cleanUp(main, folder, options);
      break;
    case "without_folder":
      throw new GitFault(
        `The repository has a worktree ${folder} whose folder is gone. Remove that worktree first.`,
      );
    case "other":
      // An empty folder may be what is left of an attempt.
      await rmdir(folder).catch((error: unknown) => {
        throw new GitFault(`The folder ${folder} exists, and is not a worktree of ${repository}.`, {
          cause: error,
        });
      });
      break;
    case "nothing":
      break;
    default:
      found satisfies never;
  }
  const base = await findBase(main, request.base);
  try {
    return await make(main, base, request, options);
  } catch (error) {
    await cleanUp(main, folder, options).catch(() => {});
    throw error;
  }
}

async function existing(
  own: OwnGitFolder,
  { folder, branch: wanted }: CreateRequest,
): Promise<CreatedWorktree> {
  const base = await baseOf(own);
  if (base === null)
    throw new GitFault(`The folder ${folder} is a worktree that Holdfast did not make.`);
  const branch = (await branchOf(own)) ?? wanted;
  return { branch, base, folder, existed: true, copied: [], leftOut: [] };
}

async function findBase(main: OwnGitFolder, base: string | null): Promise<string> {
  const commit = await commitOf(main, base ?? "HEAD");
  if (commit !== null) return commit;
  throw new GitFault(
    base === null
      ? "The repository has no commit yet, so it cannot have another worktree."
      : `The repository has no commit, branch or tag "${base}".`,
  );
}

async function make(
  main: OwnGitFolder,
  base: string,
  { folder, branch: wanted, copy }: CreateRequest,
  options: GitOptions,
): Promise<CreatedWorktree> {
  await main.repositoryGit(["check-ref-format", "--branch", wanted]).catch((error: unknown) => {
    throw new GitFault(`"${wanted}" is not a valid name of a branch.`, { cause: error });
  });
  await beginMaking(folder, options);
  await mkdir(folder, { recursive: true });
  const lock = ["--lock", "--reason", makingLock(folder, base)];
  await worktreeCommand(
    main,
    ["add", "--quiet", "--no-checkout", "--detach", ...lock, "--", folder, base],
    { writes: [folder] },
  );
  const own = await openWorkFolder(folder, options);
  const branch = await startBranch(own, wanted, base);
  // The index is for the user's programs, some of which know only this version.
  await own.git(["-c", "index.version=2", "read-tree", "-m", "-u", base], {
    index: path.join(own.folders.own, "index"),
    writesFiles: true,
  });
  const copied = await copyIgnored(main, folder, copy);
  await own.repositoryGit(["update-ref", BASE_REF, base]);
  await worktreeCommand(main, ["unlock", "--", folder]);
  await endMaking(folder, options);
  return { branch, base, folder, existed: false, ...copied };
}

const MAX_NUMBER = 1_000;

/** HEAD names the branch before the branch exists. So a branch that nobody has checked out is never left behind. */
async function startBranch(own: OwnGitFolder, wanted: string, base: string): Promise<string> {
  for (let number = 1; number <= MAX_NUMBER; number += 1) {
    const branch = numberedBranch(wanted, number);
    const ref = `refs/heads/${branch}`;
    if ((await commitOf(own, ref)) !== null) continue;
    await own.repositoryGit(["symbolic-ref", "HEAD", ref]);
    const none = "0".repeat(base.length);
    const { code } = await own.repositoryGit(["update-ref", ref, base, none], {
      codes: [0, 1, 128],
    });
    if (code === 0) return branch;
    // Somebody else has made it meanwhile, or a branch has the name of its folder.
    if ((await commitOf(own, ref)) === null)
      throw new GitFault(`The branch "${branch}" cannot be made beside the other branches.`);
  }
  throw new GitFault(`There are too many branches "${wanted}".`);
}

/** Removes what is left of an attempt to make the worktree. Nobody has worked there yet. */
async function cleanUp(main: OwnGitFolder, folder: string, options: GitOptions): Promise<void> {
  const registrations = await findRegistrations(main.folders.common, folder);
  const begun = registrations.filter(({ lock }) => isBeingMade(folder, lock));
  if (begun.length === 0) {
    await rmdir(folder).catch(() => {});
    await endMaking(folder, options);
    return;
  }
  const branches: (string | null)[] = [];
  for (const { path: gitFolder } of begun)
    branches.push(await branchOf(main, { GIT_DIR: gitFolder }));
  await removeFiles(main, folder);
  for (const [index, branch] of branches.entries()) {
    const base = baseInLock(begun[index]?.lock ?? "");
    // A branch that is somewhere else is not ours.
    if (branch !== null && base !== null)
      await main.repositoryGit(["update-ref", "-d", `refs/heads/${branch}`, base], {
        codes: [0, 1, 128],
      });
  }
  await dropRegistrations(main, begun);
  await forgetFolder(folder, options);
}
