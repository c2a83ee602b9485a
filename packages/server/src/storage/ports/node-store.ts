import type { JsonObject } from "../../domain/json.ts";

/** Nodes, their leases, and their ownership of sessions. */
export interface NodeStore {
  /** Renews the node's lease. False when it had expired in between. */
  renewLease(lease: Lease): Promise<boolean>;
  /** All nodes that are not forgotten, sorted by start time. */
  listNodes(): Promise<readonly NodeRecord[]>;
  /** Asks the node to finish its work and take no more, or to accept work again. False when no such node exists. */
  drainNode(drain: { readonly node: string; readonly draining: boolean }): Promise<boolean>;
  forgetNodes(query: { readonly deadForMs: number }): Promise<void>;
  dropLease(node: string): Promise<void>;
  /** For a node that holds the data folder and so knows that the others are dead. */
  dropOtherLeases(node: string): Promise<void>;
  /** Makes the node the session's owner unless a live node owns it. Each new owner gets a higher epoch. */
  claim(claim: {
    readonly sessionId: string;
    readonly node: string;
    /** A node whose process is known to be dead, although its lease may be valid. */
    readonly from?: string | null;
    /** Maximum number of sessions that all nodes together may own. */
    readonly limit?: number | null;
  }): Promise<Claim>;
  release(claim: { readonly sessionId: string } & Fence): Promise<boolean>;
  /** The node that owns the session, and whether its lease is valid. */
  ownerOf(sessionId: string): Promise<Owner | null>;
  /**
   * Sessions that need a node: their owner is dead, they have no owner and work to do, or a stop suspended them. Unlike
   * `unsettledSessions`, the cost depends on the number of abandoned sessions, not of busy ones.
   */
  abandonedSessions(query: { readonly limit: number }): Promise<readonly string[]>;
  /**
   * Registers a listener for writes of other processes: immediate on PostgreSQL, within about a second on SQLite. A hint
   * may be lost or repeated; the listener must read the store.
   */
  onOutsideWrites(listener: (hint: Hint) => void): void;
  /** Hints to other nodes, or to one of them, that they should take the session. */
  call(wanted: { readonly sessionId: string; readonly node: string | null }): void;
}

/** A change that another node may have made. */
export type Hint =
  | { readonly hint: "anything" | "nodes" }
  | { readonly hint: "output" | "change" | "deleted"; readonly sessionId: string }
  | { readonly hint: "wanted"; readonly sessionId: string; readonly node: string | null };

export interface Lease {
  readonly node: string;
  readonly ttlMs: number;
  /** The node's description of itself, for other nodes. */
  readonly about?: JsonObject;
}

export interface NodeRecord {
  readonly node: string;
  readonly about: JsonObject;
  readonly startedAt: number;
  readonly draining: boolean;
  /** Whether its lease is valid by the database's clock. */
  readonly alive: boolean;
}

/** Permission to write for a run. A write is refused when another node has claimed the session. */
export interface Fence {
  readonly node: string;
  readonly epoch: number;
}

export type Claim =
  | { readonly ok: true; readonly epoch: number }
  /** `isFull`: the session has no owner, but the limit is reached. */
  | { readonly ok: false; readonly owner: string | null; readonly isFull?: boolean };

export interface Owner {
  readonly node: string;
  readonly alive: boolean;
}
