import { dutyOf } from "../../domain/kernel/duty.ts";
import type { Session } from "../../domain/session.ts";
import type { Fence, StoredSession } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";

/** Which node sees to a session, seen from this one. */
export class SessionOwnership {
  readonly #context: RuntimeContext;
  readonly #sessionId: string;
  /** While this node owns it. */
  fence: Fence | null = null;

  constructor(context: RuntimeContext, sessionId: string) {
    this.#context = context;
    this.#sessionId = sessionId;
  }

  /** Null when another node has it; `full` when all nodes together may own no more. */
  async claim(): Promise<Fence | "full" | null> {
    if (this.fence !== null) return this.fence;
    const { store, node, log, limits } = this.#context;
    const sessionId = this.#sessionId;
    const claim = await store.claim({ sessionId, node, limit: limits.clusterAgents });
    if (!claim.ok) {
      const { owner, isFull = false } = claim;
      log.info({ sessionId, owner, isFull }, "the session cannot be had");
      return isFull ? "full" : null;
    }
    this.fence = { node, epoch: claim.epoch };
    return this.fence;
  }

  async release(): Promise<void> {
    const { fence } = this;
    this.fence = null;
    if (fence !== null) await this.#context.store.release({ sessionId: this.#sessionId, ...fence });
  }

  /**
   * The row says that it is ours, and we did not know: the answer to a claim was lost, or all was given up and nobody else
   * came. Nobody can claim it while we live, so it is for us to go on with, or to release.
   */
  recognise(stored: StoredSession | null): void {
    if (stored === null || stored.owner !== this.#context.node) return;
    this.fence ??= { node: stored.owner, epoch: stored.epoch };
  }

  /** Another node has claimed it since, or did and has let go of it. */
  isLost(stored: StoredSession | null): boolean {
    const { fence } = this;
    if (fence === null || stored === null) return false;
    return stored.owner !== fence.node || stored.epoch !== fence.epoch;
  }

  /** Another node, which is alive, sees to it. */
  isOthers(stored: StoredSession | null): boolean {
    if (this.fence !== null || stored === null || stored.owner === null) return false;
    const { node, cluster } = this.#context;
    return stored.owner !== node && cluster.isAlive(stored.owner);
  }

  /** Whether an agent may be started here; not when another node has more room, unless we are `wanted`. */
  mayBegin(session: Session, { isWanted }: { readonly isWanted: boolean }): boolean {
    const { cluster, node } = this.#context;
    if (cluster.isDraining) return false;
    if (this.fence !== null || cluster.isAlone) return true;
    if (!cluster.isFit(session.repoId)) return false;
    return isWanted || (cluster.bestFor(session.repoId) ?? node) === node;
  }

  /** There may be something to do that this node does not do. */
  callAnother(session: Session | null): void {
    const { cluster, store, node } = this.#context;
    if (session === null || cluster.isAlone) return;
    const duty = dutyOf(session).do;
    if (duty !== "start" && duty !== "drive") return;
    const best = cluster.bestFor(session.repoId);
    if (best !== null && best !== node) cluster.gave(best);
    store.call({ sessionId: this.#sessionId, node: best === node ? null : best });
  }
}
