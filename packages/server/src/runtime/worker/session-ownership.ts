import { dutyOf } from "../../domain/kernel/duty.ts";
import type { Session } from "../../domain/session.ts";
import type { Fence, StoredSession } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import type { Surroundings } from "./worker-state.ts";

/** Which node owns a session, as this node sees it. */
export class SessionOwnership {
  readonly #context: RuntimeContext;
  readonly sessionId: string;
  /** Set while this node owns the session. */
  fence: Fence | null = null;

  constructor(context: RuntimeContext, sessionId: string) {
    this.#context = context;
    this.sessionId = sessionId;
  }

  /** Null when another node owns the session; `full` when the limit of all nodes together is reached. */
  async claim(): Promise<Fence | "full" | null> {
    if (this.fence !== null) return this.fence;
    const { store, node, log, limits } = this.#context;
    const sessionId = this.sessionId;
    const claim = await store.claim({ sessionId, node, limit: limits.clusterAgents });
    if (!claim.ok) {
      const { owner, isFull = false } = claim;
      log.info({ sessionId, owner, isFull }, "the session could not be claimed");
      return isFull ? "full" : null;
    }
    this.fence = { node, epoch: claim.epoch };
    return this.fence;
  }

  async release(): Promise<void> {
    const { fence } = this;
    this.fence = null;
    if (fence !== null) await this.#context.store.release({ sessionId: this.sessionId, ...fence });
  }

  /**
   * Takes over an ownership that only the database knows of: the reply to a claim was lost, or the lease ran out and no
   * other node claimed the session. No other node can claim it now, so this one must go on with it or release it.
   */
  recognise(stored: StoredSession | null): void {
    if (stored === null || stored.owner !== this.#context.node) return;
    this.fence ??= { node: stored.owner, epoch: stored.epoch };
  }

  ownerOf(stored: StoredSession | null): Surroundings["owner"] {
    const { fence } = this;
    const { node, cluster } = this.#context;
    if (fence !== null) {
      const isOurs = stored?.owner === fence.node && stored.epoch === fence.epoch;
      return stored === null || isOurs ? "this_node" : "lost";
    }
    if (stored === null || stored.owner === null || stored.owner === node) return "nobody";
    return cluster.isAlive(stored.owner) ? "other_node" : "nobody";
  }

  /** Whether this node may start an agent. Not when another node has more room, unless this one is `wanted`. */
  mayBegin(session: Session, { isWanted }: { readonly isWanted: boolean }): boolean {
    const { cluster, node } = this.#context;
    if (cluster.isDraining) return false;
    if (this.fence !== null || cluster.isAlone) return true;
    if (!cluster.isFit(session.repoId)) return false;
    return isWanted || (cluster.bestFor(session.repoId) ?? node) === node;
  }

  /** Asks another node to take over work that this node does not do. */
  callAnother(session: Session | null): void {
    const { cluster, store, node } = this.#context;
    if (session === null || cluster.isAlone) return;
    const duty = dutyOf(session).do;
    if (duty !== "start" && duty !== "drive") return;
    const best = cluster.bestFor(session.repoId);
    if (best !== null && best !== node) cluster.countOffer(best);
    store.call({ sessionId: this.sessionId, node: best === node ? null : best });
  }
}
