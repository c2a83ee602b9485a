import { setTimeout as pause } from "node:timers/promises";
import { activityOf, type Session } from "../../domain/session.ts";
import type { StaleCounts, StaleKind, StaleSession, Store } from "../../storage/store.ts";
import { pagesOf } from "../pages.ts";
import { removeSessions, type RemovalFailure, type Removing } from "./removal.ts";

export interface CleanUp {
  readonly now: number;
  readonly olderThanMs: number;
  /** Only reports the sessions to remove. */
  readonly dryRun?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
  /** Also removes conversations, each after its bundle was written. */
  readonly conversations?: Removing;
  /** Deletes the data of deleted sessions outside the store. */
  readonly forgetSessions?: (sessionIds: readonly string[]) => Promise<void>;
  /** Stops the cleanup; sessions removed so far stay removed. */
  readonly signal?: AbortSignal;
}

export interface CleanedUp {
  /** In a dry run, the number of sessions that would be removed. */
  readonly removed: number;
  /** The oldest of them. */
  readonly first: readonly StaleSession[];
  /** Conversations that could not be removed. */
  readonly failures: readonly RemovalFailure[];
  /** Inactive sessions that were kept, by reason; in a dry run, including conversations that would be removed. */
  readonly kept: Omit<StaleCounts, "stale"> & {
    /** Became active during the cleanup. */
    readonly changed: number;
  };
}

/** Sessions per read. */
const PAGE = 1_000;
/** Log entries deleted per transaction. It bounds how long other writes wait. */
const ENTRIES_AT_ONCE = 5_000;
const SHOWN = 20;

/** Permanently removes idle sessions that have been inactive for `olderThanMs`. */
export async function cleanUp(store: Store, options: CleanUp): Promise<CleanedUp> {
  const { now, olderThanMs, dryRun = false, onProgress, conversations, signal } = options;
  const before = now - olderThanMs + 1;
  const counts = onProgress === undefined ? null : await store.countStale({ before });
  const total =
    (counts?.stale ?? 0) + (conversations === undefined ? 0 : (counts?.conversations ?? 0));
  const first: StaleSession[] = [];
  const failures: RemovalFailure[] = [];
  let removed = 0;
  let changed = 0;

  const removeTracked: Remove = async (sessionIds) => {
    const deleted = await store.deleteStale({ sessionIds, before });
    await options.forgetSessions?.(deleted);
    return deleted;
  };

  const removeConversations =
    (removing: Removing): Remove =>
    async (sessionIds) => {
      const isDue = (session: Session): boolean => isInactiveSince(session, before);
      const outcome = await removeSessions(removing, sessionIds, isDue, signal);
      failures.push(...outcome.failures);
      return outcome.removed;
    };

  const cleanUpKind = async (kind: StaleKind, remove: Remove): Promise<void> => {
    let lastTookMs = 0;
    const query = { kind, before, limit: PAGE };
    const pages = pagesOf((after) => store.staleSessions({ ...query, ...after }), signal);
    for await (const { sessions } of pages) {
      for (const [index, part] of partsOf(sessions).entries()) {
        // Other SQLite writers poll for the lock, so they need a pause. The read of a page is the pause before the first part.
        if (index > 0) await pause(lastTookMs / 3);
        if (signal?.aborted === true) break;
        const startedAt = performance.now();
        const failed = failures.length;
        const ids = part.map(({ id }) => id);
        const gone = new Set(dryRun ? ids : await remove(ids));
        lastTookMs = performance.now() - startedAt;
        const shown = part.filter(({ id }) => gone.has(id)).slice(0, SHOWN - first.length);
        first.push(...shown);
        removed += gone.size;
        changed += part.length - gone.size - (failures.length - failed);
        const done = removed + changed + failures.length;
        onProgress?.(done, Math.max(total, done));
      }
    }
  };

  await cleanUpKind("tracked", removeTracked);
  if (conversations !== undefined)
    await cleanUpKind("conversations", removeConversations(conversations));
  // Counted at the end, because reading may have quarantined some.
  const { stale: _, ...kept } = await store.countStale({ before });
  return { removed, first, failures, kept: { ...kept, changed } };
}

/** Returns the removed sessions. */
type Remove = (sessionIds: readonly string[]) => Promise<readonly string[]>;

/** Checked again when a conversation is deleted. */
function isInactiveSince(session: Session, before: number): boolean {
  return (
    session.standing.status !== "archived" &&
    activityOf(session).state === "idle" &&
    session.queue.length === 0 &&
    session.lastActiveAt < before
  );
}

/** Groups of at most `ENTRIES_AT_ONCE` log entries. A larger session gets a group of its own. */
function partsOf(sessions: readonly StaleSession[]): readonly (readonly StaleSession[])[] {
  const parts: StaleSession[][] = [];
  let entries = ENTRIES_AT_ONCE;
  for (const session of sessions) {
    if (entries + session.entries > ENTRIES_AT_ONCE) {
      parts.push([]);
      entries = 0;
    }
    parts.at(-1)?.push(session);
    entries += session.entries;
  }
  return parts;
}
