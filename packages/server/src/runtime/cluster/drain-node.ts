import type { Store } from "../../storage/store.ts";
import type { Cluster } from "./cluster.ts";
import type { NodeView } from "./node-view.ts";
import { refuse, type Reply } from "../reply.ts";

export interface DrainNode {
  /** Its id, or the name of exactly one node that is alive. */
  readonly name: string;
  readonly draining: boolean;
}

/** Asks a node, this one or another, to let go of its work and take no more; or to go on. */
export async function drainNode(
  store: Store,
  { cluster, name, draining }: DrainNode & { readonly cluster: Cluster },
): Promise<Reply<{ readonly node: NodeView }>> {
  const alive = cluster.nodes.filter((each) => each.alive);
  const named = alive.filter((each) => each.node === name || each.name === name);
  const [node, another] = named;
  if (node === undefined) return refuse("node_not_found", "There is no such node alive.");
  if (another !== undefined) {
    return refuse("node_ambiguous", `${named.length} nodes have the name ${name}: use the id.`);
  }
  if (!(await store.drainNode({ node: node.node, draining }))) {
    return refuse("node_not_found", "The node has just ended.");
  }
  cluster.lookAgain();
  return { ok: true, node: { ...node, draining } };
}
