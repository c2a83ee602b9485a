import type { GitOptions } from "../own-git-folder.ts";
import { createWorktree, type CreatedWorktree, type CreateRequest } from "./create-worktree.ts";
import { listWorktrees, type ListedWorktree } from "./list-worktrees.ts";
import { removeWorktree, type RemoveRequest, type RemoveResult } from "./remove-worktree.ts";
import { createTurns } from "../turns.ts";

/**
 * The worktrees of sessions. Folders are real paths. Methods throw a `GitFault` if Git cannot be used. Calls for one folder run
 * one after the other.
 */
export interface WorktreeGit {
  create(request: CreateRequest): Promise<CreatedWorktree>;
  remove(request: RemoveRequest): Promise<RemoveResult>;
  list(request: { readonly repository: string }): Promise<readonly ListedWorktree[]>;
}

export function createWorktreeGit(options: GitOptions): WorktreeGit {
  const inTurn = createTurns();
  return {
    create: (request) => inTurn(request.folder, () => createWorktree(request, options)),
    remove: (request) => inTurn(request.folder, () => removeWorktree(request, options)),
    list: (request) => listWorktrees(request, options),
  };
}
