import { lstat, readdir } from "node:fs/promises";
import path from "node:path";
import { readSmallFile } from "../find-git-folders.ts";
import { GitFault } from "../git-fault.ts";
import type { OwnGitFolder } from "../own-git-folder.ts";

/** What a repository keeps about one of its linked worktrees. */
export interface Registration {
  /** The folder in `.git/worktrees`. */
  readonly path: string;
  /** The folder of the worktree; null if Git was killed before it wrote that. */
  readonly folder: string | null;
  /** Why it is locked; null if it is not. */
  readonly lock: string | null;
}

/** The per-worktree ref to the commit at which the branch began. A worktree that has it is complete. */
export const BASE_REF = "refs/worktree/holdfast/base";

/**
 * The reason of the lock that a worktree has while it is being made. It names the folder, which may be all that is known, and
 * the commit at which the branch begins.
 */
export function makingLock(folder: string, base: string): string {
  return `${makingPrefix(folder)}${base}`;
}

export function isBeingMade(folder: string, lock: string | null): boolean {
  return lock?.startsWith(makingPrefix(folder)) === true;
}

export function baseInLock(lock: string): string | null {
  return /[0-9a-f]{40,64}$/u.exec(lock)?.[0] ?? null;
}

/** The folder that a lock of `makingLock` names. */
export function folderInLock(lock: string | null): string | null {
  const text = /^Holdfast is making (".*") from [0-9a-f]+$/u.exec(lock ?? "")?.[1];
  try {
    const folder: unknown = text === undefined ? null : JSON.parse(text);
    return typeof folder === "string" ? folder : null;
  } catch {
    return null;
  }
}

function makingPrefix(folder: string): string {
  return `Holdfast is making ${JSON.stringify(folder)} from `;
}

export async function readRegistrations(common: string): Promise<readonly Registration[]> {
  const worktrees = path.join(common, "worktrees");
  const stats = await lstat(worktrees).catch(() => null);
  if (stats === null) return [];
  // Otherwise what is removed there would be somewhere else.
  if (!stats.isDirectory()) throw new GitFault("The .git/worktrees of the repository is a link.");
  const entries = await readdir(worktrees, { withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }): Promise<Registration> => {
        const folder = path.join(worktrees, name);
        const gitdir = await readLine(path.join(folder, "gitdir"));
        return {
          path: folder,
          folder: gitdir === null ? null : path.dirname(path.resolve(folder, gitdir)),
          lock: await readLine(path.join(folder, "locked")),
        };
      }),
  );
}

/** All registrations of a folder. There is more than one if Git was killed at the wrong moment. */
export async function findRegistrations(
  common: string,
  folder: string,
): Promise<readonly Registration[]> {
  const all = await readRegistrations(common);
  return all.filter((each) => each.folder === folder || isBeingMade(folder, each.lock));
}

/** Removes what the repository keeps about a worktree, but no working files. */
export async function dropRegistrations(
  own: OwnGitFolder,
  registrations: readonly Registration[],
): Promise<void> {
  if (registrations.length === 0) return;
  const worktrees = path.join(own.folders.common, "worktrees");
  const script = 'all=$1; shift; rm -rf -- "$@" && { rmdir -- "$all" 2>/dev/null || :; }';
  await own.shell(script, [worktrees, ...registrations.map((each) => each.path)]);
}

async function readLine(file: string): Promise<string | null> {
  const text = await readSmallFile(file).catch(() => null);
  return text === null ? null : text.replace(/\n$/u, "");
}
