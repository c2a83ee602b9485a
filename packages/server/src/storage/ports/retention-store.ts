import type { Status } from "../../domain/status.ts";
import type { ListPosition } from "./session-store.ts";

/** Finds and deletes inactive sessions. */
export interface RetentionStore {
  /** IDs of sessions in these statuses that were inactive since a time, oldest first. */
  inactiveSessions(query: InactiveQuery): Promise<readonly string[]>;
  /** Deletes sessions with everything that belongs to them. Returns the number of sessions deleted. */
  deleteSessions(sessionIds: readonly string[]): Promise<number>;
  /** One page of stale sessions, oldest first. */
  staleSessions(query: StaleQuery): Promise<StalePage>;
  countStale(query: { readonly before: number }): Promise<StaleCounts>;
  /** Deletes those of the sessions that are still stale. Returns their IDs. */
  deleteStale(query: {
    readonly sessionIds: readonly string[];
    readonly before: number;
  }): Promise<readonly string[]>;
}

export interface InactiveQuery {
  readonly statuses: readonly Status[];
  /** Inactive since this time. */
  readonly before: number;
  readonly after?: ListPosition;
  readonly limit: number;
}

/**
 * Which sessions cleanup by age looks for. A conversation has a repository or messages. Any other session only tracks an
 * agent that another program runs.
 */
export type StaleKind = "tracked" | "conversations";

/** Sessions that cleanup by age may delete: readable, not archived, idle, with an empty queue and no live owner. */
export interface StaleQuery extends Omit<InactiveQuery, "statuses"> {
  readonly kind: StaleKind;
}

export interface StalePage {
  readonly sessions: readonly StaleSession[];
  /** Cursor of the next page, or null. */
  readonly next: ListPosition | null;
}

export interface StaleSession {
  readonly id: string;
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly title: string | null;
  readonly lastActiveAt: number;
  /** Length of its log: roughly the number of rows that a delete removes. */
  readonly entries: number;
}

/** Numbers of sessions inactive since a time, by what cleanup does with them. */
export interface StaleCounts {
  /** Tracked sessions that may be deleted. */
  readonly stale: number;
  /** Idle conversations. */
  readonly conversations: number;
  readonly archived: number;
  /** Running, or waiting for an answer. */
  readonly busy: number;
  readonly queued: number;
  /** Idle, but owned by a live node. */
  readonly owned: number;
  /** Quarantined, of any age. */
  readonly unreadable: number;
}
