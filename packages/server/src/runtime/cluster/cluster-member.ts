/** What a process is among others that share a database. */
export interface ClusterMember {
  /** What people call it. */
  readonly name: string;
  readonly labels: readonly string[];
  /** A node that has not been heard of for so long counts as dead. */
  readonly leaseMs: number;
  /** How long runs may go on once the node is to stop and others are there to take over. */
  readonly drainMs: number;
}

export const MEMBER: ClusterMember = {
  name: "node",
  labels: [],
  leaseMs: 10_000,
  drainMs: 3_000,
};
