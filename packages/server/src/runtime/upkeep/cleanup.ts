import { setImmediate, setTimeout as pause } from "node:timers/promises";
import { activityOf, type Session } from "../../domain/session.ts";
import type {
  ListPosition,
  StaleCounts,
  StaleKind,
  StaleSession,
  Store,
} from "../../storage/store.ts";
import { removeSessions, type Removal, type Removing } from "./removal.ts";

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

type Failure = Removal["kept"][number];

export interface CleanedUp {
  /** In a dry run, the number of sessions that would be removed. */
  readonly removed: number;
  /** The oldest of them. */
  readonly first: readonly StaleSession[];
  /** Conversations that could not be removed. */
  readonly failures: readonly Failure[];
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
  const { now, olderThanMs, onProgress, conversations } = options;
  const before = now - olderThanMs + 1;
  const counts = onProgress === undefined ? null : await store.countStale({ before });
  const tally: Tally = { first: [], removed: 0, changed: 0, failures: [] };
  const total =
    (counts?.stale ?? 0) + (conversations === undefined ? 0 : (counts?.conversations ?? 0));
  const report = (): void => {
    const done = tally.removed + tally.changed + tally.failures.length;
    onProgress?.(done, Math.max(total, done));
  };
  await cleanUpKind(store, { kind: "tracked", before, options, tally, report });
  if (conversations !== undefined)
    await cleanUpKind(store, { kind: "conversations", before, options, tally, report });
  // Counted at the end, because reading may have quarantined some.
  const { stale: _, ...kept } = await store.countStale({ before });
  const { removed, changed, first, failures } = tally;
  return { removed, first, failures, kept: { ...kept, changed } };
}

interface Tally {
  readonly first: StaleSession[];
  readonly failures: Failure[];
  removed: number;
  changed: number;
}

interface Pass {
  readonly kind: StaleKind;
  readonly before: number;
  readonly options: CleanUp;
  readonly tally: Tally;
  readonly report: () => void;
}

async function cleanUpKind(store: Store, pass: Pass): Promise<void> {
  const { kind, before, options, tally, report } = pass;
  const { dryRun = false, signal } = options;
  let lastTookMs = 0;
  let after: ListPosition | null = null;
  do {
    const page = await store.staleSessions({
      kind,
      before,
      limit: PAGE,
      ...(after !== null && { after }),
    });
    for (const [index, part] of partsOf(page.sessions).entries()) {
      // Other SQLite writers poll for the lock, so they need a pause. The read of a page is the pause before the first part.
      if (index > 0) await pause(lastTookMs / 3);
      if (signal?.aborted === true) break;
      const startedAt = performance.now();
      const failed = tally.failures.length;
      const gone = dryRun ? part : await remove(store, { part, pass });
      lastTookMs = performance.now() - startedAt;
      tally.first.push(...gone.slice(0, SHOWN - tally.first.length));
      tally.removed += gone.length;
      tally.changed += part.length - gone.length - (tally.failures.length - failed);
      report();
    }
    after = page.next;
    await setImmediate();
  } while (after !== null && signal?.aborted !== true);
}

async function remove(
  store: Store,
  { part, pass }: { readonly part: readonly StaleSession[]; readonly pass: Pass },
): Promise<readonly StaleSession[]> {
  const { before, options, tally } = pass;
  const sessionIds = part.map(({ id }) => id);
  if (pass.kind === "tracked" || options.conversations === undefined) {
    const gone = new Set(await store.deleteStale({ sessionIds, before }));
    await options.forgetSessions?.([...gone]);
    return part.filter(({ id }) => gone.has(id));
  }
  const { removed, kept } = await removeSessions(options.conversations, {
    sessionIds,
    isDue: (session) => isInactiveSince(session, before),
    signal: options.signal ?? new AbortController().signal,
  });
  tally.failures.push(...kept);
  const gone = new Set(removed.map(({ sessionId }) => sessionId));
  return part.filter(({ id }) => gone.has(id));
}

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
