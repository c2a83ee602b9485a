import type { WorktreeEnd } from "@holdfast/protocol";

/** What became of the worktree of a deleted session. */
export function worktreeEndText({ path, removed, message, keptAs }: WorktreeEnd): string {
  const kept = keptAs === null ? "" : ` Work that was in no branch is kept as ${keptAs}.`;
  if (removed) return `Its worktree was removed.${kept}`;
  return `Its worktree is still at ${path}${message === null ? "." : `: ${message}`}${kept}`;
}

/** What happens to the worktree of a session that is deleted. */
export function worktreeFate(remove: boolean): string {
  const first = remove
    ? "Its worktree is removed. Work that is not committed is kept as a Git ref first."
    : "Its worktree is removed if everything in it is committed, and stays otherwise.";
  return `${first} Its branch stays if it has commits that no other branch has.`;
}
