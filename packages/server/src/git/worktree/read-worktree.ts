import { lstat, readdir } from "node:fs/promises";
import path from "node:path";
import { findGitFolders } from "../find-git-folders.ts";
import { GitFault } from "../git-fault.ts";
import type { GitOptions, OwnGitFolder } from "../own-git-folder.ts";
import { isMaking, openWorkFolder } from "../work-folder.ts";
import { BASE_REF, findRegistrations, isBeingMade, type Registration } from "./registrations.ts";

/** A folder that may be a worktree of a repository. */
export type FoundWorktree =
  /** Nothing is there, and the repository knows nothing of it. */
  | { readonly found: "nothing" }
  /** It exists, and is not a worktree of this repository. */
  | { readonly found: "other" }
  /** Git or Holdfast was killed while it was made. */
  | { readonly found: "half_made"; readonly registrations: readonly Registration[] }
  /** The repository has it, but its folder is gone or empty. */
  | { readonly found: "without_folder"; readonly registrations: readonly Registration[] }
  | {
      readonly found: "worktree";
      readonly registrations: readonly Registration[];
      readonly own: OwnGitFolder;
    };

export async function findWorktree(
  repository: OwnGitFolder,
  folder: string,
  options: GitOptions,
): Promise<FoundWorktree> {
  if (!path.isAbsolute(folder) || path.resolve(folder) !== folder)
    throw new GitFault(`${folder} is not the absolute path of a folder.`);
  const { common } = repository.folders;
  const registrations = await findRegistrations(common, folder);
  const stats = await lstat(folder).catch(() => null);
  if (registrations.length === 0) return { found: stats === null ? "nothing" : "other" };
  // A link is not the folder that was registered.
  if (stats !== null && !stats.isDirectory()) return { found: "other" };
  // Agents can write the locks, so these alone do not allow to remove anything.
  const begun = registrations.filter(({ lock }) => isBeingMade(folder, lock));
  if (begun.length === registrations.length && (await isMaking(folder, options)))
    return { found: "half_made", registrations };
  const folders = stats === null ? null : await findGitFolders(folder);
  if (folders === null || typeof folders === "string") {
    // A folder with files but without `.git` may be anything.
    const names = stats === null ? [] : await readdir(folder);
    return names.length === 0 ? { found: "without_folder", registrations } : { found: "other" };
  }
  const isWhole = registrations.some((each) => each.path === folders.own);
  if (folders.common !== common || !isWhole) return { found: "other" };
  return { found: "worktree", registrations, own: await openWorkFolder(folder, options) };
}

/** The commit that a name stands for; null if there is none. */
export async function commitOf(
  own: OwnGitFolder,
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  const { code, stdout } = await own.repositoryGit(
    ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`],
    { codes: [0, 1, 128], env },
  );
  return code === 0 ? stdout.toString("latin1").trim() : null;
}

/** The branch that is checked out; null if there is none. It need not have a commit. */
export async function branchOf(
  own: OwnGitFolder,
  env: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  const { code, stdout } = await own.repositoryGit(["symbolic-ref", "--quiet", "HEAD"], {
    codes: [0, 1, 128],
    env,
  });
  const name = stdout.toString("utf8").trim();
  return code === 0 && name.startsWith("refs/heads/") ? name.slice("refs/heads/".length) : null;
}

/** The commit at which the worktree's branch began; null if Holdfast did not make it. */
export function baseOf(own: OwnGitFolder): Promise<string | null> {
  return commitOf(own, BASE_REF);
}
