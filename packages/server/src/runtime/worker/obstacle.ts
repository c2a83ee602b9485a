import type { RuntimeContext } from "../context.ts";

/**
 * Why sessions of a repository cannot go on; null when they can. Another node may have a folder that this
 * one lacks, and only nodes with the repository's label can say whether it is there.
 */
export function findObstacles({
  store,
  cluster,
  openWorkspace,
  labels,
}: Pick<RuntimeContext, "store" | "cluster" | "openWorkspace"> & {
  readonly labels: readonly string[];
}): RuntimeContext["obstacleOf"] {
  return async (repoId) => {
    if (repoId === null) return null;
    const opened = await openWorkspace(repoId);
    if (opened.ok) {
      await opened.workspace.close();
      return null;
    }
    const repo = await store.readRepo(repoId);
    const isOthers = repo?.label !== undefined && !labels.includes(repo.label);
    if (isOthers || (repo !== null && cluster.isElsewhere(repoId))) return null;
    return `Its repository cannot be used: ${opened.refusal.message}`;
  };
}
