import { dutyOf } from "../../domain/kernel/duty.ts";
import type { Session } from "../../domain/session.ts";
import type { Message } from "../../domain/message.ts";
import type { CurrentRun } from "../../domain/run.ts";
import type { Appended, Committed, Fence, StoredSession } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import { loadReadable } from "../session-snapshot.ts";
import type { Surroundings } from "./worker-state.ts";

/**
 * Which node owns a session, as this node sees it. The owner remembers the session as it has stored it, so that it need not be
 * read for each step. A stale one does no harm: its commit is refused. It must not hide a change, so after every sign that
 * another process may have written (`forget`), the session is read before it is used again.
 */
export class SessionOwnership {
  readonly #context: RuntimeContext;
  readonly sessionId: string;
  /** Set while this node owns the session. */
  fence: Fence | null = null;
  #known: StoredSession | null = null;
  #message: Message | null = null;
  #mustRead = false;

  constructor(context: RuntimeContext, sessionId: string) {
    this.#context = context;
    this.sessionId = sessionId;
  }

  /** Null unless this node owns the session, and nobody else may have changed it. */
  get known(): StoredSession | null {
    const [known, { fence }] = [this.#known, this];
    if (this.#mustRead || known === null || fence === null) return null;
    return known.owner === fence.node && known.epoch === fence.epoch ? known : null;
  }

  /** Another process may have changed the session. */
  forget(): void {
    this.#mustRead = true;
  }

  /** The session as it is stored, unless it was changed while it was being read. */
  async read(): Promise<StoredSession | null> {
    this.#mustRead = false;
    const stored = await loadReadable(this.#context.store, this.sessionId);
    if (stored === null) this.#known = null;
    else this.#keep(stored);
    return stored;
  }

  /** What this process has committed. */
  learn({ stored, written }: Committed): void {
    if (stored === null) this.#known = null;
    else this.#keep(stored);
    for (const entry of written?.entries ?? [])
      if (entry.kind === "message" && entry.message.role === "user") this.#message = entry.message;
  }

  /** What this process has appended. */
  learnOutput({ lastSeq, at }: Pick<Appended, "lastSeq" | "at">): void {
    const known = this.#known;
    if (known === null || known.lastSeq >= lastSeq) return;
    const session = { ...known.session, updatedAt: at, lastActiveAt: at };
    this.#known = { ...known, session, lastSeq };
  }

  /** A message of the user that this process has just stored; null if it must be read. */
  messageOf({ messageId }: Pick<CurrentRun, "messageId">): Message | null {
    return this.#message?.id === messageId ? this.#message : null;
  }

  #keep(stored: StoredSession): void {
    const { version = -1, lastSeq = -1 } = this.#known ?? {};
    const isNewer =
      stored.version > version || (stored.version === version && stored.lastSeq > lastSeq);
    if (isNewer || stored.epoch !== this.#known?.epoch) this.#known = stored;
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
