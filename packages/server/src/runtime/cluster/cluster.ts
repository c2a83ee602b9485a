import type { Store } from "../../storage/store.ts";
import type { ClusterMember } from "./cluster-member.ts";
import { refuse, type Reply } from "../reply.ts";
import { createNodeLease, type NodeLeaseOptions } from "./node-lease.ts";
import type { AgentSlots } from "../worker/agent-slots.ts";
import { sleep } from "../sleep.ts";
import { hasRoom, nodeView, type NodeView } from "./node-view.ts";

export interface ClusterOptions
  extends ClusterMember, Omit<NodeLeaseOptions, "about" | "onRenewed"> {
  readonly formerNode: string | null;
  /** This node has a lease, and the former one still has its own: sessions can be claimed from it. */
  readonly onJoined?: () => Promise<void>;
  readonly version: string;
  /** The agent slots of this node. */
  readonly slots: Pick<AgentSlots, "limit" | "taken" | "busy">;
  /** Repositories that this node does not have; their sessions must run elsewhere. */
  readonly missingRepos: () => Promise<readonly string[]>;
  /** The node starts or stops draining. */
  readonly onDraining: (isDraining: boolean) => void;
}

/** The nodes that share the database, as of the last look. On SQLite, only this node. */
export interface Cluster {
  /** No other live node shares the database. */
  readonly isAlone: boolean;
  readonly isDraining: boolean;
  /** Whether this node may still act for the sessions it owns. */
  readonly holdsLease: boolean;
  /** Why nothing can be stored now, on SQLite; null if it can. */
  readonly failure: string | null;
  /** The length of a recent database outage that was long enough for leases to expire; else null. */
  readonly recentAbsenceMs: number | null;
  /** The live node that started first. It does the work that only one node must do. */
  readonly isEldest: boolean;
  readonly nodes: readonly NodeView[];
  isAlive(node: string): boolean;
  /** Whether agents may be started here for sessions of the repository. */
  isFit(repoId: string | null): boolean;
  /** The best node for a session of the repository; null if none has a free slot. */
  bestFor(repoId: string | null): string | null;
  /** Counts a session that was offered to the node, until the node reports its load again. */
  countOffer(node: string): void;
  /** Whether another node has the repository, even without a free slot. */
  isElsewhere(repoId: string | null): boolean;
  /** Reads the nodes again. Resolves when `nodes` shows what was stored before the call. */
  lookAgain(): Promise<void>;
  /** Waits until the database is reachable. False if the lease expires first or the signal is aborted. */
  untilBack(signal: AbortSignal): Promise<boolean>;
  drain(): Promise<void>;
  /** `keepsLease`: the lease stays until it expires, so that no other node takes the sessions. */
  stop(options?: { readonly keepsLease?: boolean }): Promise<void>;
}

const MISSING_EVERY_MS = 10_000;
const FORGOTTEN_AFTER_MS = 3_600_000;

export async function joinCluster(options: ClusterOptions): Promise<Cluster> {
  const { store, node, log } = options;
  const { isShared } = store;
  const stopping = new AbortController();
  let nodes: readonly NodeView[] = [];
  let missing: readonly string[] = [];
  let lookedForMissing = -Infinity;
  let looks = 0;
  let latestLook = 0;
  let isDraining = false;
  /** Draining because this node stops, which cannot be undone. */
  let isLeaving = false;
  /** Sessions offered to other nodes since they last reported their load. */
  const offered = new Map<string, number>();

  const lookForMissing = async (): Promise<void> => {
    if (!isShared || performance.now() - lookedForMissing < MISSING_EVERY_MS) return;
    lookedForMissing = performance.now();
    missing = await options.missingRepos();
  };

  const about = () => ({
    name: options.name,
    version: options.version,
    labels: options.labels,
    capacity: options.slots.limit,
    busy: options.slots.busy,
    taken: options.slots.taken,
    missing,
    letsGo: isDraining,
  });

  /** Returns whether this node started or stopped draining. */
  const look = async (): Promise<boolean> => {
    const look = (looks += 1);
    const stored = await store.listNodes();
    // A later look has the newer nodes, also when it was answered first.
    if (look < latestLook) return false;
    latestLook = look;
    nodes = stored.map(nodeView);
    offered.clear();
    const draining = isLeaving || nodes.find((each) => each.node === node)?.draining === true;
    if (draining === isDraining) return false;
    isDraining = draining;
    log.info({ node, isDraining }, isDraining ? "draining" : "taking work again");
    options.onDraining(isDraining);
    return true;
  };

  const lease = createNodeLease({
    ...options,
    about: async () => {
      await lookForMissing();
      return about();
    },
    onRenewed: async () => void (await look()),
  });

  await lease.begin();
  await options.onJoined?.();
  if (options.formerNode !== null) await store.dropLease(options.formerNode);
  // The data folder is locked, so an earlier process on the same file is dead.
  if (!isShared && lease.failure === null) await store.dropOtherLeases(node);

  const forgetter = setInterval(() => {
    store.forgetNodes({ deadForMs: FORGOTTEN_AFTER_MS }).catch(() => {});
  }, FORGOTTEN_AFTER_MS).unref();

  const own = (): NodeView => ({
    ...about(),
    node,
    draining: isDraining,
    alive: true,
    startedAt: nodes.find((each) => each.node === node)?.startedAt ?? 0,
  });
  const others = (): readonly NodeView[] =>
    isShared ? nodes.filter((each) => each.alive && each.node !== node) : [];
  const withOffered = (view: NodeView): NodeView => ({
    ...view,
    busy: view.busy + (offered.get(view.node) ?? 0),
    taken: view.taken + (offered.get(view.node) ?? 0),
  });
  const has = (view: NodeView, repoId: string | null): boolean =>
    repoId === null || !view.missing.includes(repoId);

  return {
    get isAlone() {
      return others().length === 0;
    },
    get isDraining() {
      return isDraining;
    },
    get holdsLease() {
      return lease.isHeld;
    },
    get failure() {
      return isShared ? null : lease.failure;
    },
    get recentAbsenceMs() {
      return lease.recentAbsenceMs;
    },
    get isEldest() {
      return !isShared || nodes.find(({ alive }) => alive)?.node === node;
    },
    get nodes() {
      return [own(), ...(isShared ? nodes.filter((each) => each.node !== node) : [])];
    },
    isAlive: (name) => name === node || others().some((each) => each.node === name),
    isFit: (repoId) => !isDraining && lease.isHeld && has(own(), repoId),
    bestFor(repoId) {
      const fit = [own(), ...others().map(withOffered)].filter(
        (view) => has(view, repoId) && hasRoom(view),
      );
      // This node is first, so it wins at equal load.
      const [best] = fit.toSorted((a, b) => loadOf(a) - loadOf(b));
      return best?.node ?? null;
    },
    countOffer: (name) => void offered.set(name, (offered.get(name) ?? 0) + 1),
    isElsewhere: (repoId) => others().some((view) => !view.draining && has(view, repoId)),
    lookAgain: async () => {
      try {
        // A renewal tells the other nodes that this one knows.
        if (await look()) lease.renewSoon();
      } catch (err) {
        log.error({ err }, "the nodes could not be read");
      }
    },
    untilBack: (signal) => lease.untilBack(signal),
    async drain() {
      if (stopping.signal.aborted) return;
      isLeaving = true;
      if (!isDraining) options.onDraining((isDraining = true));
      await store.drainNode({ node, draining: true }).catch((err: unknown) => {
        log.error({ err }, "the other nodes could not be told that this one is draining");
      });
    },
    async stop({ keepsLease = false } = {}) {
      stopping.abort();
      clearInterval(forgetter);
      await lease.stop();
      if (keepsLease) return;
      await Promise.race([store.dropLease(node).catch(() => {}), sleep(STOP_MS)]);
    },
  };
}

export interface DrainNode {
  /** The id of a live node, or a name that only one live node has. */
  readonly name: string;
  readonly draining: boolean;
}

/** Asks a node to hand over its work and take no more, or to take work again. */
export async function drainNode(
  store: Store,
  cluster: Pick<Cluster, "nodes" | "lookAgain">,
  { name, draining }: DrainNode,
): Promise<Reply<{ readonly node: NodeView }>> {
  const alive = cluster.nodes.filter((each) => each.alive);
  const named = alive.filter((each) => each.node === name || each.name === name);
  const [node, another] = named;
  if (node === undefined) return refuse("node_not_found", "No live node with that name or ID.");
  if (another !== undefined) {
    return refuse("node_ambiguous", `${named.length} nodes have the name ${name}. Use the ID.`);
  }
  if (!(await store.drainNode({ node: node.node, draining }))) {
    return refuse("node_not_found", "The node has just stopped.");
  }
  await cluster.lookAgain();
  return { ok: true, node: { ...node, draining } };
}

/** The cluster of a runtime without agents. */
export const ALONE: Cluster = {
  isAlone: true,
  isDraining: false,
  holdsLease: true,
  failure: null,
  recentAbsenceMs: null,
  isEldest: true,
  nodes: [],
  isAlive: () => false,
  isFit: () => true,
  bestFor: () => null,
  countOffer: () => {},
  isElsewhere: () => false,
  lookAgain: async () => {},
  untilBack: async () => false,
  drain: async () => {},
  stop: async () => {},
};

/** A node stops even if the database is unreachable. Its lease then expires. */
const STOP_MS = 2_000;

function loadOf({ taken, capacity }: NodeView): number {
  return taken / Math.max(1, capacity);
}
