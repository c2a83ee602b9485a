import { setTimeout as pause } from "node:timers/promises";
import type { JsonObject } from "../../domain/json.ts";
import type { Store } from "../../storage/store.ts";
import type { ClusterMember } from "./cluster-member.ts";
import type { Log } from "../log.ts";
import { createNodeLease, type LossReason } from "./node-lease.ts";
import type { Places } from "../worker/places.ts";
import { hasRoom, nodeView, type NodeView } from "./node-view.ts";

export interface ClusterOptions extends ClusterMember {
  readonly store: Store;
  /** Unique to this process. */
  readonly node: string;
  readonly formerNode: string | null;
  readonly version: string;
  readonly log: Log;
  /** How many agents may live here, and how many do. */
  readonly places: Pick<Places, "limit" | "taken" | "busy">;
  /** Repositories that are not here, so that their sessions must run elsewhere. */
  readonly missingRepos: () => Promise<readonly string[]>;
  /** The lease ran out before it could be renewed: others may have taken everything over. */
  readonly onLost: (why: LossReason) => void;
  /** The lease is renewed after the database was away. */
  readonly onReturned: () => void;
  /** From now on no work is to be taken, or is again. */
  readonly onDraining: (isDraining: boolean) => void;
}

/** The nodes that share the database, as this one last saw them. Alone on a file. */
export interface Cluster {
  /** Nobody else can work on these sessions. */
  readonly isAlone: boolean;
  readonly isDraining: boolean;
  /** Whether this node may still act for the sessions it owns. */
  readonly holdsLease: boolean;
  /** How long the database was away, when that has just been long enough for leases to run out; else null. */
  readonly recentAbsenceMs: number | null;
  /** Of those alive the one that began first: it does what needs to be done once. */
  readonly isEldest: boolean;
  readonly nodes: readonly NodeView[];
  isAlive(node: string): boolean;
  /** Whether agents may be started here for sessions of the repository. */
  isFit(repoId: string | null): boolean;
  /** The node that a session of the repository should run on; null when none has room. */
  bestFor(repoId: string | null): string | null;
  /** That node was asked to take a session up: until it says so itself, it counts as there. */
  gave(node: string): void;
  /** Whether another node could run it, full or not. */
  isElsewhere(repoId: string | null): boolean;
  /** Somebody said that something changed. */
  lookAgain(): void;
  /** Waits for a database that is away: false when this node's lease is over first, or the signal is aborted. */
  untilBack(signal: AbortSignal): Promise<boolean>;
  drain(): Promise<void>;
  stop(): Promise<void>;
}

const MISSING_EVERY_MS = 10_000;
const FORGOTTEN_AFTER_MS = 3_600_000;

export async function joinCluster(options: ClusterOptions): Promise<Cluster> {
  const { store, node, leaseMs, log } = options;
  const isShared = store.engine === "postgres";
  const stopping = new AbortController();
  let nodes: readonly NodeView[] = [];
  let missing: readonly string[] = [];
  let lookedForMissing = -Infinity;
  let isDraining = false;
  /** Draining by itself, because it ends: nobody can take that back. */
  let isLeaving = false;
  /** Sessions given to others since they last said how much they have to do. */
  const given = new Map<string, number>();

  const lookForMissing = async (): Promise<void> => {
    if (!isShared || performance.now() - lookedForMissing < MISSING_EVERY_MS) return;
    lookedForMissing = performance.now();
    missing = await options.missingRepos();
  };

  const about = (): JsonObject => ({
    name: options.name,
    version: options.version,
    labels: options.labels,
    capacity: options.places.limit,
    busy: options.places.busy,
    taken: options.places.taken,
    missing,
    letsGo: isDraining,
  });

  /** Whether it was asked to drain, or not to any more. */
  const look = async (): Promise<boolean> => {
    nodes = (await store.listNodes()).map(nodeView);
    given.clear();
    const draining = isLeaving || nodes.find((each) => each.node === node)?.draining === true;
    if (draining === isDraining) return false;
    isDraining = draining;
    log.info({ node, isDraining }, isDraining ? "draining" : "taking work again");
    options.onDraining(isDraining);
    return true;
  };

  const lease = createNodeLease({
    store,
    node,
    leaseMs,
    log,
    about: async () => {
      await lookForMissing();
      return about();
    },
    onRenewed: async () => void (await look()),
    onLost: options.onLost,
    onReturned: options.onReturned,
  });

  if (options.formerNode !== null) await store.dropLease(options.formerNode);
  await lease.begin();
  // Whoever holds the data folder is the only one on a file; what an earlier process owned is free.
  if (!isShared) await store.dropOtherLeases(node);

  const forgetter = setInterval(() => {
    store.forgetNodes({ deadForMs: FORGOTTEN_AFTER_MS }).catch(() => {});
  }, FORGOTTEN_AFTER_MS).unref();

  const own = (): NodeView => ({
    node,
    name: options.name,
    version: options.version,
    labels: options.labels,
    capacity: options.places.limit,
    busy: options.places.busy,
    taken: options.places.taken,
    missing,
    draining: isDraining,
    letsGo: isDraining,
    alive: true,
    startedAt: nodes.find((each) => each.node === node)?.startedAt ?? 0,
  });
  const others = (): readonly NodeView[] =>
    isShared ? nodes.filter((each) => each.alive && each.node !== node) : [];
  const withGiven = (view: NodeView): NodeView => ({
    ...view,
    busy: view.busy + (given.get(view.node) ?? 0),
    taken: view.taken + (given.get(view.node) ?? 0),
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
      const fit = [own(), ...others().map(withGiven)].filter(
        (view) => has(view, repoId) && hasRoom(view),
      );
      // At equal load here: it costs no way.
      const [best] = fit.toSorted((a, b) => loadOf(a) - loadOf(b));
      return best?.node ?? null;
    },
    gave: (name) => void given.set(name, (given.get(name) ?? 0) + 1),
    isElsewhere: (repoId) => others().some((view) => !view.draining && has(view, repoId)),
    lookAgain: () => {
      look().then(
        // Whoever asked learns at once that this is known.
        (isAsked) => isAsked && lease.renewSoon(),
        (err: unknown) => log.error({ err }, "the nodes could not be looked at"),
      );
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
    async stop() {
      stopping.abort();
      clearInterval(forgetter);
      await lease.stop();
      await Promise.race([
        store.dropLease(node).catch(() => {}),
        pause(STOP_MS, undefined, { ref: false }),
      ]);
    },
  };
}

/** For what needs no agents. */
export const ALONE: Cluster = {
  isAlone: true,
  isDraining: false,
  holdsLease: true,
  recentAbsenceMs: null,
  isEldest: true,
  nodes: [],
  isAlive: () => false,
  isFit: () => true,
  bestFor: () => null,
  gave: () => {},
  isElsewhere: () => false,
  lookAgain: () => {},
  untilBack: async () => false,
  drain: async () => {},
  stop: async () => {},
};

/** A database that is away does not keep a node from ending: its lease runs out. */
const STOP_MS = 2_000;

function loadOf({ taken, capacity }: NodeView): number {
  return taken / Math.max(1, capacity);
}
