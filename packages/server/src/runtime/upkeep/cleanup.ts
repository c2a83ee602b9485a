import { setImmediate, setTimeout as pause } from "node:timers/promises";
import { activityOf, type Session } from "../../domain/session.ts";
import type { StaleCounts, StaleKind, StalePosition, StaleSession } from "../../storage/stale.ts";
import type { Store } from "../../storage/store.ts";
import { removeSessions, type Removal, type Removing } from "./removal.ts";

export interface CleanUp {
  readonly now: number;
  readonly olderThanMs: number;
  /** Says what would be removed, and removes nothing. */
  readonly dryRun?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
  /** Takes conversations too, each after its bundle was written. */
  readonly conversations?: Removing;
  /** These are gone for good: what was kept outside the store goes too. */
  readonly forgetSessions?: (sessionIds: readonly string[]) => Promise<void>;
  /** What has been removed by then is removed; the rest stays. */
  readonly signal?: AbortSignal;
}

type Failure = Removal["kept"][number];

export interface CleanedUp {
  /** Or what would be, when nothing is to be done. */
  readonly removed: number;
  /** Those of them that were made first. */
  readonly first: readonly StaleSession[];
  /** Conversations that should have gone, and have not. */
  readonly failures: readonly Failure[];
  /** As old, and not removed, by the reason; in a dry run, conversations that would go are among them. */
  readonly kept: Omit<StaleCounts, "stale"> & {
    /** Something happened to them while the others were removed. */
    readonly changed: number;
  };
}

/** Sessions read, and at most removed, in one go. */
const PAGE = 1_000;
/** What goes in one transaction, in entries of logs: whoever else writes waits no longer than for that. */
const ENTRIES_AT_ONCE = 5_000;
const SHOWN = 20;

/** Removes, for good, the sessions that were not active for so long and are at rest. */
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
  // Counted at the end: reading them may have shown that some cannot be read.
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
  let after: StalePosition | null = null;
  do {
    const page = await store.staleSessions({
      kind,
      before,
      limit: PAGE,
      ...(after !== null && { after }),
    });
    for (const [index, part] of partsOf(page.sessions).entries()) {
      // Others that wait for SQLite only look now and then; reading a page is rest enough before the first.
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
    isDue: (session) => isAtRestSince(session, before),
    signal: options.signal ?? new AbortController().signal,
  });
  tally.failures.push(...kept);
  const gone = new Set(removed.map(({ sessionId }) => sessionId));
  return part.filter(({ id }) => gone.has(id));
}

/** Asked again of a conversation at the moment it is deleted. */
function isAtRestSince(session: Session, before: number): boolean {
  return (
    session.standing.status !== "archived" &&
    activityOf(session).state === "idle" &&
    session.queue.length === 0 &&
    session.lastActiveAt < before
  );
}

/** As many sessions as go together; one that is larger than that goes alone. */
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
