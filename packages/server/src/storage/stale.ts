/**
 * Which sessions cleanup by age looks for. A conversation has a repository or messages; any other session
 * only tracks an agent that somebody else runs.
 */
export type StaleKind = "tracked" | "conversations";

/** Sessions that cleanup by age may take: readable, not archived, idle, nothing queued, and no node's. */
export interface StaleQuery {
  readonly kind: StaleKind;
  /** Not active since. */
  readonly before: number;
  readonly after?: StalePosition;
  readonly limit: number;
}

export interface StalePosition {
  readonly createdAt: number;
  readonly id: string;
}

export interface StalePage {
  readonly sessions: readonly StaleSession[];
  /** Where the next page begins, if there is one. */
  readonly next: StalePosition | null;
}

export interface StaleSession {
  readonly id: string;
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly title: string | null;
  readonly lastActiveAt: number;
  /** About how much goes with it: the length of its log. */
  readonly entries: number;
}

/** Sessions not active for as long, by what becomes of them. */
export interface StaleCounts {
  /** Tracked sessions that may be taken. */
  readonly stale: number;
  /** Conversations at rest. */
  readonly conversations: number;
  readonly archived: number;
  /** At work, or waiting for an answer. */
  readonly busy: number;
  readonly queued: number;
  /** At rest, with an agent that a live node still has. */
  readonly owned: number;
  /** Set aside, however old. */
  readonly unreadable: number;
}
