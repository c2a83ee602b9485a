import { setTimeout as pause } from "node:timers/promises";
import { GitFault } from "../git-fault.ts";
import type { OwnGitFolder, OwnGitOptions } from "../own-git-folder.ts";
import type { Output } from "../program/run-program.ts";

/**
 * Runs `git worktree`, which reads all worktrees of the repository. While another process makes one, Git may find a file of it
 * that is still empty, and gives up. Then the command runs again.
 */
export async function worktreeCommand(
  repository: OwnGitFolder,
  args: readonly string[],
  options: OwnGitOptions = {},
): Promise<Output> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await repository.repositoryGit(["worktree", ...args], options);
    } catch (error) {
      if (tries === TRIES || !findsUnfinished(error)) throw error;
      await pause(PAUSE_MS);
    }
  }
}

const TRIES = 100;
const PAUSE_MS = 50;

function findsUnfinished(error: unknown): boolean {
  return error instanceof GitFault && UNFINISHED.test(error.detail ?? "");
}

/** What Git says about an empty file: the system reports no error, which Linux calls "Success". */
const UNFINISHED =
  /failed to read .*\/worktrees\/[^/]+\/commondir: (?:Success|Undefined error: 0)/u;
