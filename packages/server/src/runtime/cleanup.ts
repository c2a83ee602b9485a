import { setImmediate, setTimeout as pause } from "node:timers/promises";
import type { StaleCounts, StalePosition, StaleSession } from "../storage/stale.ts";
import type { Store } from "../storage/store.ts";

export interface CleanUp {
  readonly now: number;
  readonly olderThanMs: number;
  /** Says what would be removed, and removes nothing. */
  readonly dryRun?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
  /** These are gone for good: what was kept outside the store goes too. */
  readonly forgetSessions?: (sessionIds: readonly string[]) => Promise<void>;
  /** What has been removed by then is removed; the rest stays. */
  readonly signal?: AbortSignal;
}

export interface CleanedUp {
  /** Or what would be, when nothing is to be done. */
  readonly removed: number;
  /** Those of them that were made first. */
  readonly first: readonly StaleSession[];
  /** As old, and not removed, by the reason. */
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
  const { now, olderThanMs, dryRun = false, onProgress, signal } = options;
  const before = now - olderThanMs + 1;
  const total = onProgress === undefined ? 0 : (await store.countStale({ before })).stale;
  const first: StaleSession[] = [];
  let removed = 0;
  let changed = 0;
  let lastTookMs = 0;
  let after: StalePosition | null = null;
  do {
    const page = await store.staleSessions({
      before,
      limit: PAGE,
      ...(after !== null && { after }),
    });
    for (const [index, part] of partsOf(page.sessions).entries()) {
      // Whoever waits for SQLite only looks now and then; reading a page is rest enough before the first.
      if (index > 0) await pause(lastTookMs / 3);
      if (signal?.aborted === true) break;
      const startedAt = performance.now();
      const gone = dryRun ? part : await remove(store, { part, before, options });
      lastTookMs = performance.now() - startedAt;
      first.push(...gone.slice(0, SHOWN - first.length));
      removed += gone.length;
      changed += part.length - gone.length;
      onProgress?.(removed + changed, Math.max(total, removed + changed));
    }
    after = page.next;
    await setImmediate();
  } while (after !== null && signal?.aborted !== true);
  // Counted at the end: reading them may have shown that some cannot be read.
  const { stale: _, ...kept } = await store.countStale({ before });
  return { removed, first, kept: { ...kept, changed } };
}

async function remove(
  store: Store,
  {
    part,
    before,
    options,
  }: { readonly part: readonly StaleSession[]; readonly before: number; readonly options: CleanUp },
): Promise<readonly StaleSession[]> {
  const sessionIds = part.map(({ id }) => id);
  const gone = new Set(await store.deleteStale({ sessionIds, before }));
  await options.forgetSessions?.([...gone]);
  return part.filter(({ id }) => gone.has(id));
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
