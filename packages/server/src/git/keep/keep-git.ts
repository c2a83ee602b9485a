import type { GitOptions } from "../own-git-folder.ts";
import { commitAll, type CommitRequest, type CommitResult } from "./commit-all.ts";
import { checkedOutBranch, folderState, type FolderState } from "./folder-state.ts";
import { mergeInto, type MergeRequest, type MergeResult } from "./merge-into.ts";
import { pushBranch, type PushRequest, type PushResult } from "./push-branch.ts";
import { rebaseOnto, type RebaseResult } from "./rebase-onto.ts";
import { createTurns } from "../turns.ts";

/** Keeps the work of sessions in branches. Folders are real paths. Methods throw a `GitFault` if Git cannot be used. */
export interface KeepGit {
  state(request: { readonly folder: string; readonly other: string | null }): Promise<FolderState>;
  /** The branch that is checked out in a folder; null if there is none. */
  branchOf(folder: string): Promise<string | null>;
  commit(request: CommitRequest): Promise<CommitResult>;
  merge(request: MergeRequest): Promise<MergeResult>;
  rebase(request: { readonly folder: string; readonly onto: string }): Promise<RebaseResult>;
  push(request: PushRequest): Promise<PushResult>;
}

export function createKeepGit(options: GitOptions): KeepGit {
  const inTurn = createTurns();
  return {
    state: (request) => inTurn(request.folder, () => folderState(request, options)),
    branchOf: (folder) => checkedOutBranch(folder, options),
    commit: (request) => inTurn(request.folder, () => commitAll(request, options)),
    merge: (request) => inTurn(request.repository, () => mergeInto(request, options)),
    rebase: (request) => inTurn(request.folder, () => rebaseOnto(request, options)),
    // It only reads, and a network may be slow.
    push: (request) => pushBranch(request, options),
  };
}
