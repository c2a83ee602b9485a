import { lstat, rmdir } from "node:fs/promises";
import { GitFault } from "../git-fault.ts";
import type { OwnGitFolder } from "../own-git-folder.ts";

/**
 * Removes everything in the folder `$1`; `.git` last, so that a folder with files is always known as a worktree. Links are
 * removed, not followed. Folders without permission to write get it.
 */
const REMOVE = `
cd -P -- "$1" || exit
clear() { find . ! -name . -prune ! -name .git -exec rm -rf -- {} +; }
clear 2>/dev/null || { find . -type d -exec chmod u+rwx {} + ; clear; } || exit
rm -rf -- .git
`;

const TRIES = 5;

/** Removes the folder of a worktree. A missing one is no error. The caller knows that it is one. */
export async function removeFiles(own: OwnGitFolder, folder: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const stats = await lstat(folder).catch(() => null);
    if (stats === null) return;
    if (!stats.isDirectory()) throw new GitFault(`${folder} is not a folder.`);
    try {
      await own.shell(REMOVE, [folder], { writes: [folder] });
      await rmdir(folder);
      return;
    } catch (error) {
      // A command of an earlier server may still write there.
      if (tries === TRIES)
        throw new GitFault(`The folder ${folder} could not be removed.`, { cause: error });
    }
  }
}
