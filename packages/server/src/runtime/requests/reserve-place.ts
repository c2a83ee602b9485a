import type { RuntimeContext } from "../context.ts";

/** Whether a run of the session can begin at once: here, where its place is taken, or on another node. */
export function reservePlace(
  { places, cluster, node }: Pick<RuntimeContext, "places" | "cluster" | "node">,
  { sessionId, repoId }: { readonly sessionId: string; readonly repoId: string | null },
): boolean {
  if (!cluster.isAlone && !places.holds(sessionId)) {
    const best = cluster.bestFor(repoId);
    if (best !== node) return best !== null;
  }
  return !cluster.isDraining && places.take(sessionId) !== null;
}
