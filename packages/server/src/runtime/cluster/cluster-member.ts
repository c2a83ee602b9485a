/** The settings of a node. */
export interface ClusterMember {
  /** For display. */
  readonly name: string;
  readonly labels: readonly string[];
  /** A node that does not renew its lease for this long counts as dead. */
  readonly leaseMs: number;
  /** How long runs may continue after a stop request if other nodes can take over. */
  readonly drainMs: number;
}

export const MEMBER: ClusterMember = {
  name: "node",
  labels: [],
  leaseMs: 10_000,
  drainMs: 3_000,
};
