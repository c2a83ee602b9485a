import type { Session } from "@holdfast/protocol";

/** Where agents work, in a few words; null in the folder of the repository itself. */
export function worktreeLabel({
  workspace,
  worktree,
}: Pick<Session, "workspace" | "worktree">): string | null {
  if (worktree !== null) return worktree.branch;
  return workspace === "worktree" ? "Worktree" : null;
}
