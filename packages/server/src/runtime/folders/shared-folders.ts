import { GitFault } from "../../git/git-fault.ts";
import type { RuntimeContext } from "../context.ts";
import { refuse } from "../reply.ts";
import type { SessionFolders } from "./session-folders.ts";

const none = (): never => {
  throw new GitFault("Worktrees cannot be made here.");
};

/** All sessions work in the folders of their repositories. */
export function sharedFolders({
  openWorkspace,
}: Pick<RuntimeContext, "openWorkspace">): SessionFolders {
  return {
    open: async ({ repoId }) =>
      repoId === null
        ? refuse("repository_required", "The session has no repository.")
        : openWorkspace(repoId),
    workspaceFor: async (_repoId, wanted) =>
      wanted === undefined ? undefined : { ...wanted, worktree: null },
    makeWorktree: async () => none(),
    setUp: async () => null,
    setupOf: async () => null,
    removeWorktree: async () => none(),
    forget: async () => {},
  };
}
