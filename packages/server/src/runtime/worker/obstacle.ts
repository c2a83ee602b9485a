import type { RuntimeContext } from "../context.ts";

/**
 * Finds out why sessions of a repository cannot continue; null when they can. Only a node with the repository's label can
 * tell whether the folder exists, and another node may have a folder that this one lacks.
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
