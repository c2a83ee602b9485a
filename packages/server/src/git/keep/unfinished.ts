import { lstat } from "node:fs/promises";
import path from "node:path";
import { GitFault } from "../git-fault.ts";
import type { OwnGitFolder } from "../own-git-folder.ts";

const UNFINISHED: readonly (readonly [name: string, what: string])[] = [
  ["MERGE_HEAD", "A merge"],
  ["CHERRY_PICK_HEAD", "A cherry-pick"],
  ["REVERT_HEAD", "A revert"],
  ["rebase-merge", "A rebase"],
  ["rebase-apply", "A rebase"],
];

/** Throws a `GitFault` if the user or an agent is in the middle of something that a commit would end. */
export async function refuseUnfinished(own: OwnGitFolder): Promise<void> {
  for (const [name, what] of UNFINISHED)
    if ((await lstat(path.join(own.folders.own, name)).catch(() => null)) !== null)
      throw new GitFault(
        `${what} is not finished in ${own.folders.folder}. Finish or abort it first.`,
      );
}
