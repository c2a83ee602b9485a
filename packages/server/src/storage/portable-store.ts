import {
  removeAtOf,
  RETENTION_POLICY,
  type RetentionPolicy,
  type RetentionRules,
} from "../domain/retention.ts";
import { StorageFault } from "./fault.ts";
import type { CurrentSchema } from "./migrations/migrate.ts";
import { listSessions, countSessions } from "./reads/list-sessions.ts";
import { findSession, findSessions, loadSession, readSession } from "./reads/load-session.ts";
import {
  countQuarantined,
  inactiveSessions,
  abandonedImports,
  listRepos,
  listQuarantined,
  listBrowsers,
  listOffers,
  listTokens,
  openSuspensions,
  readQueue,
  readRepo,
  findRuns,
  readRun,
  readRuns,
  rewoundRuns,
  readSuspension,
  readSuspensions,
  recall,
  sessionsAtWork,
  unsettledSessions,
} from "./reads/plain-reads.ts";
import { readRaw, unreadableSessions } from "./reads/raw-session.ts";
import { readEvents } from "./reads/read-events.ts";
import { readFigures, tally } from "./reads/read-figures.ts";
import { readMessageJson } from "./reads/message-json.ts";
import {
  countMessages,
  readMessage,
  readMessages,
  readNewest,
  readNewestOfRun,
} from "./reads/read-messages.ts";
import { abandonedSessions, lastSeqs, listNodes, readOwner } from "./reads/node-reads.ts";
import { readDecisions } from "./reads/decisions.ts";
import { readRunSuspensions, unusedAnswers } from "./reads/run-suspensions.ts";
import { withRemoval } from "./reads/joined-session.ts";
import { sourceAt, type Source } from "./reads/source.ts";
import { keepIndexed } from "./search/keep-indexed.ts";
import { isAnythingNoted } from "./writes/search-document.ts";
import { recordOfSession } from "./rows/session-row.ts";
import { countStale, staleSessions } from "./reads/stale-sessions.ts";
import type { Queryable } from "./dialect.ts";
import type { Store } from "./store.ts";
import type { SessionPage, SessionQuery } from "./ports/session-store.ts";
import type { SetAsideRow } from "./tables.ts";
import type { Writer } from "./writes/writes.ts";

export interface StoreOptions {
  readonly clock: () => number;
  /** When sessions are removed. Default: `RETENTION_POLICY`. */
  readonly retention?: RetentionPolicy;
  /** Called for each row the first time it cannot be read. */
  readonly onQuarantine?: (row: SetAsideRow) => void;
  /** Called for transient problems between nodes. */
  readonly onTrouble?: (problem: string, error?: unknown) => void;
}

interface Parts {
  readonly at: Queryable;
  readonly isShared: boolean;
  /** A number that changes with every write. Absent where it would need a request to a server. */
  readonly contentVersion?: () => number;
  /** A process that stays. A command exits too soon to do anything in the background. */
  readonly isServer: boolean;
  readonly write: Writer;
  readonly schema: CurrentSchema;
  readonly options: StoreOptions;
  readonly translate: (error: unknown) => unknown;
  readonly onOutsideWrites: Store["onOutsideWrites"];
  readonly call: Store["call"];
  readonly close: () => Promise<void>;
}

/** The store for both databases. They differ in their dialect, their transactions and their faults. */
export function portableStore(parts: Parts): Store {
  const { at, isShared, write: writeNow, schema, options } = parts;
  const { dialect } = at;
  const calls = openCalls();
  const quarantine = quarantining(writeNow, options);
  const { migratedAt } = schema;
  const rules: RetentionRules = { policy: options.retention ?? RETENTION_POLICY, migratedAt };
  const removeAt: Source["removeAt"] = (session) => removeAtOf(session, rules);
  // If the database is not shared, a power failure also ends all nodes, so leases need not survive it.
  const leaseOptions = { durable: isShared };
  const write: Writer = (name, args, options) => {
    index?.after(name);
    return calls.run(() => writeNow(name, args, options));
  };

  /** Reads, quarantines unreadable rows, and translates failures into faults. */
  const readAll = <Result>(
    read: (source: Source) => Promise<Result>,
  ): Promise<{ result: Result; quarantined: number }> =>
    calls.run(async () => {
      const unreadable: UnreadableRow[] = [];
      try {
        const report = (row: UnreadableRow): void => void unreadable.push(row);
        const result = await read(sourceAt(at, { report, removeAt }));
        return { result, quarantined: await quarantine(unreadable) };
      } catch (error) {
        throw parts.translate(error);
      }
    });

  const index = dialect.indexesLater
    ? keepIndexed((...call) => calls.run(() => writeNow(...call)), {
        isNoted: async () => (await readAll(isAnythingNoted)).result,
        inBackground: parts.isServer,
      })
    : null;

  const reading =
    <Args extends readonly unknown[], Result>(
      read: (source: Source, ...args: Args) => Promise<Result>,
    ) =>
    async (...args: Args): Promise<Result> =>
      (await readAll((source) => read(source, ...args))).result;

  /** Quarantined sessions leave the list, so the page is read again. Each time fewer are left. */
  const readList = async (query: SessionQuery): Promise<SessionPage> => {
    const { result, quarantined } = await readAll((source) => listSessions(source, query));
    return quarantined > 0 ? readList(query) : result;
  };
  const list = cacheLists(readList, parts.contentVersion);

  return {
    engine: at.dialect.engine,
    isShared,
    migratedAt,
    load: reading(loadSession),
    commit: (change) => write("commitChange", change),
    append: (output) => write("appendOutput", output, { durable: output.durable }),
    listSessions: async (query) => {
      // A search finds less if the disk is full.
      if (query.search !== undefined) await index?.flush().catch(unlessBug);
      return calls.run(() => list(query));
    },
    readSession: reading(readSession),
    recordOf: (stored) => withRemoval({ removeAt }, recordOfSession(stored)),
    findSession: reading(findSession),
    findSessions: reading(findSessions),
    readMessages: reading(readMessages),
    readNewest: reading(readNewest),
    readMessageJson: reading(readMessageJson),
    countMessages: reading(countMessages),
    readNewestOfRun: reading(readNewestOfRun),
    readMessage: reading(readMessage),
    readEvents: reading(readEvents),
    readQueue: reading(readQueue),
    readRun: reading(readRun),
    findRuns: reading(findRuns),
    readRuns: reading(readRuns),
    rewoundRuns: reading(rewoundRuns),
    readRunSuspensions: reading(readRunSuspensions),
    readDecisions: reading(readDecisions),
    readSuspension: reading(readSuspension),
    readSuspensions: reading(readSuspensions),
    openSuspensions: reading(openSuspensions),
    unusedAnswers: reading(unusedAnswers),
    dismissUnused: (run) => write("dismissUnused", run),
    unsettledSessions: reading(unsettledSessions),
    sessionsAtWork: reading(sessionsAtWork),
    abandonedSessions: reading(abandonedSessions),
    lastSeqs: reading(lastSeqs),
    inactiveSessions: reading(inactiveSessions),
    deleteSessions: (sessionIds) => write("deleteSessions", sessionIds),
    staleSessions: reading(staleSessions),
    countStale: reading(countStale),
    deleteStale: (query) => write("deleteStale", query),
    beginImport: (begin) => write("beginImport", begin),
    // The last write of an import is durable and syncs the earlier ones.
    addToImport: (part) => write("addToImport", part, { durable: false }),
    finishImport: (end) => write("finishImport", end),
    dropImport: (staging) => write("dropImport", staging),
    abandonedImports: reading(abandonedImports),
    addRepo: (repo) => write("addRepo", repo),
    readRepo: reading(readRepo),
    listRepos: reading(listRepos),
    removeRepo: (repoId) => write("removeRepo", repoId),
    addToken: (request) => write("addToken", request),
    listTokens: reading(listTokens),
    revokeToken: (request) => write("revokeToken", request),
    markTokenUsed: (use) => write("markTokenUsed", use, { durable: false }),
    forgetTokens: (query) => write("forgetTokens", query),

    addBrowser: (request) => write("addBrowser", request),
    listBrowsers: reading(listBrowsers),
    markBrowserUsed: (use) => write("markBrowserUsed", use, { durable: false }),
    removeBrowsers: (query) => write("removeBrowsers", query),
    keepOffer: (offer) => write("keepOffer", offer),
    listOffers: reading(listOffers),
    recall: reading(recall),
    forgetAnswers: (query) => write("forgetAnswers", query),
    renewLease: (lease) => write("renewLease", lease, leaseOptions),
    listNodes: reading(listNodes),
    drainNode: (drain) => write("drainNode", drain),
    forgetNodes: (query) => write("forgetNodes", query),
    dropLease: (node) => write("dropLease", node, leaseOptions),
    dropOtherLeases: (node) => write("dropOtherLeases", node, leaseOptions),
    claim: (claim) => write("claimSession", claim, leaseOptions),
    release: (claim) => write("releaseSession", claim, leaseOptions),
    ownerOf: reading(readOwner),
    readFigures: reading(readFigures),
    tally: reading(tally),
    onOutsideWrites: parts.onOutsideWrites,
    call: parts.call,
    listQuarantined: reading(listQuarantined),
    readRaw: reading(readRaw),
    unreadableSessions: reading(unreadableSessions),
    health: reading(async (source) => ({
      schema: schema.name,
      setAside: await countQuarantined(source),
      counts: await countSessions(source),
    })),
    close: () => {
      index?.close();
      return calls.end(parts.close);
    },
  };
}

function unlessBug(error: unknown): void {
  if (!(error instanceof StorageFault)) throw error;
}

/** Closing waits for pending calls and refuses new ones. */
function openCalls() {
  const pending = new Set<Promise<unknown>>();
  let ending: Promise<void> | null = null;
  return {
    run: <Result>(call: () => Promise<Result>): Promise<Result> => {
      if (ending !== null)
        return Promise.reject(new StorageFault("store_closed", "The store is closed."));
      const running = call().finally(() => pending.delete(running));
      pending.add(running);
      return running;
    },
    end: (close: () => Promise<void>): Promise<void> => {
      ending ??= Promise.allSettled(pending).then(close);
      return ending;
    },
  };
}

type UnreadableRow = Omit<SetAsideRow, "at">;

/** Maximum number of rows remembered as quarantined, so that reading them again needs no write. */
const MAX_REMEMBERED = 10_000;

/** Returns the number of sessions that left the lists. */
function quarantining(write: Writer, { clock, onQuarantine = () => {} }: StoreOptions) {
  const stored = new Set<string>();
  /** Two concurrent readers may quarantine the same row. */
  const reported = new Set<string>();
  const reportOnce = (row: SetAsideRow): void => {
    if (reported.has(keyOf(row))) return;
    if (reported.size < MAX_REMEMBERED) reported.add(keyOf(row));
    onQuarantine(row);
  };
  return async (unreadable: readonly UnreadableRow[]): Promise<number> => {
    const rows = unreadable
      .filter((row) => !stored.has(keyOf(row)))
      .map((row) => ({ ...row, at: clock() }));
    if (rows.length === 0) return 0;
    try {
      const sessions = await write("quarantine", rows);
      for (const row of rows) reportOnce(row);
      const others = rows.filter(({ tableName }) => tableName !== "AgentSession");
      for (const row of others.slice(0, MAX_REMEMBERED - stored.size)) stored.add(keyOf(row));
      return sessions;
    } catch (error) {
      // The readable rows are still returned. The next read tries again.
      if (error instanceof StorageFault) return 0;
      throw error;
    }
  };
}

function keyOf({ tableName, rowId }: UnreadableRow): string {
  return `${tableName}/${rowId}`;
}

/** Maximum number of cached pages: the few lists that people poll. */
const MAX_CACHED = 20;

type ReadList = (query: SessionQuery) => Promise<SessionPage>;

/** Caches pages until the next write. Without a content version, every page is read. */
function cacheLists(read: ReadList, contentVersion?: () => number): ReadList {
  if (contentVersion === undefined) return read;
  const cache = new Map<string, SessionPage>();
  let cachedVersion: number | null = null;
  return async (query) => {
    // Taken before the read: a write during the read makes the page count as outdated.
    const version = contentVersion();
    if (version !== cachedVersion) cache.clear();
    cachedVersion = version;
    const key = JSON.stringify(query);
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const page = await read(query);
    if (cachedVersion === version && cache.size < MAX_CACHED) cache.set(key, page);
    return page;
  };
}
