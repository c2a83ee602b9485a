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
  countSetAside,
  inactiveSessions,
  leftImports,
  listRepos,
  listSetAside,
  openSuspensions,
  readQueue,
  readRepo,
  readRun,
  readRuns,
  readSuspension,
  readSuspensions,
  recall,
  unsettledSessions,
} from "./reads/plain-reads.ts";
import { readRaw, unreadableSessions } from "./reads/raw-session.ts";
import { readEvents } from "./reads/read-events.ts";
import { readFigures } from "./reads/read-figures.ts";
import { readMessage, readMessages } from "./reads/read-messages.ts";
import { abandonedSessions, lastSeqs, listNodes } from "./reads/node-reads.ts";
import { readOwner } from "./reads/read-owner.ts";
import { readRunSuspensions, unusedAnswers } from "./reads/run-suspensions.ts";
import type { Source } from "./reads/source.ts";
import { countStale, staleSessions } from "./reads/stale-sessions.ts";
import { tally } from "./reads/tally.ts";
import { listTokens } from "./reads/token-reads.ts";
import { keepLists } from "./keep-lists.ts";
import type { RunAtOnce } from "./prepared.ts";
import type { SessionPage, SessionQuery, Store } from "./store.ts";
import type { Database, SetAsideRow } from "./tables.ts";
import type { Writer } from "./writes/writes.ts";

export interface StoreOptions {
  readonly clock: () => number;
  /** When sessions are removed; the usual times, unless told. */
  readonly retention?: RetentionPolicy;
  /** Told of each row the first time it cannot be read. */
  readonly onSetAside?: (row: SetAsideRow) => void;
  /** Told of what goes wrong between nodes and passes by itself. */
  readonly onTrouble?: (problem: string, error?: unknown) => void;
}

interface Parts {
  readonly engine: Store["engine"];
  readonly isShared: boolean;
  readonly db: Database;
  readonly run?: RunAtOnce;
  /** Another number whenever something was written; where that is known without asking far away. */
  readonly contentVersion?: () => number;
  readonly write: Writer;
  readonly schema: CurrentSchema;
  readonly options: StoreOptions;
  readonly translate: (error: unknown) => unknown;
  readonly onOutsideWrites: Store["onOutsideWrites"];
  readonly call: Store["call"];
  readonly close: () => Promise<void>;
}

/** The store, the same for both engines: what differs is how a transaction is run and how it fails. */
export function portableStore({
  engine,
  isShared,
  db,
  run,
  contentVersion,
  write: writeNow,
  schema,
  options,
  translate,
  onOutsideWrites,
  call,
  close,
}: Parts): Store {
  const calls = openCalls();
  const setAside = settingAside(writeNow, options);
  const { migratedAt } = schema;
  const rules: RetentionRules = { policy: options.retention ?? RETENTION_POLICY, migratedAt };
  const removeAt: Source["removeAt"] = (session) => removeAtOf(session, rules);
  // Where all nodes are on the machine of the database, what makes it forget who was alive has ended them, too.
  const whoIsAlive = { durable: isShared };
  const write: Writer = (name, args, options) => calls.run(() => writeNow(name, args, options));

  /** Reads, sets aside what could not be read, and names failures as faults. */
  const readAll = <Result>(
    read: (source: Source) => Promise<Result>,
  ): Promise<{ result: Result; lost: number }> =>
    calls.run(async () => {
      const unreadable: UnreadRow[] = [];
      try {
        const report = (row: UnreadRow): void => void unreadable.push(row);
        const source = { db, engine, report, removeAt, ...(run !== undefined && { run }) };
        const result = await read(source);
        return { result, lost: await setAside(unreadable) };
      } catch (error) {
        throw translate(error);
      }
    });

  const reading = async <Result>(read: (source: Source) => Promise<Result>): Promise<Result> =>
    (await readAll(read)).result;

  /** Sessions set aside leave the list, so the page is read again; each time there are fewer. */
  const readList = async (query: SessionQuery): Promise<SessionPage> => {
    const { result, lost } = await readAll((source) => listSessions(source, query));
    return lost > 0 ? readList(query) : result;
  };
  const list = keepLists(readList, contentVersion);

  return {
    engine,
    isShared,
    migratedAt,
    load: (sessionId) => reading((source) => loadSession(source, sessionId)),
    commit: (change) => write("commitChange", change),
    append: (output) => write("appendOutput", output, { durable: output.durable }),
    listSessions: (query) => calls.run(() => list(query)),
    readSession: (sessionId) => reading((source) => readSession(source, sessionId)),
    findSession: (name) => reading((source) => findSession(source, name)),
    findSessions: (names) => reading((source) => findSessions(source, names)),
    readMessages: (query) => reading((source) => readMessages(source, query)),
    readMessage: (sessionId, messageId) =>
      reading((source) => readMessage(source, { sessionId, messageId })),
    readEvents: (query) => reading((source) => readEvents(source, query)),
    readQueue: (sessionId) => reading((source) => readQueue(source, sessionId)),
    readRun: (runId) => reading((source) => readRun(source, runId)),
    readRuns: (sessionId, part) => reading((source) => readRuns(source, { sessionId, part })),
    readRunSuspensions: (query) => reading((source) => readRunSuspensions(source, query)),
    readSuspension: (suspensionId) => reading((source) => readSuspension(source, suspensionId)),
    readSuspensions: (sessionId, part) =>
      reading((source) => readSuspensions(source, { sessionId, part })),
    openSuspensions: () => reading(openSuspensions),
    unusedAnswers: () => reading(unusedAnswers),
    dismissUnused: (run) => write("dismissUnused", run),
    unsettledSessions: () => reading(unsettledSessions),
    abandonedSessions: (query) => reading((source) => abandonedSessions(source, query)),
    lastSeqs: (sessionIds) => reading((source) => lastSeqs(source, sessionIds)),
    inactiveSessions: (query) => reading((source) => inactiveSessions(source, query)),
    deleteSessions: (sessionIds) => write("deleteSessions", sessionIds),
    staleSessions: (query) => reading((source) => staleSessions(source, query)),
    countStale: (query) => reading((source) => countStale(source, query)),
    deleteStale: (query) => write("deleteStale", query),
    beginImport: (begin) => write("beginImport", begin),
    // The last write of an import, which is durable, brings what was before it to the disk.
    addToImport: (part) => write("addToImport", part, { durable: false }),
    finishImport: (end) => write("finishImport", end),
    dropImport: (arrival) => write("dropImport", arrival),
    leftImports: () => reading(leftImports),
    addRepo: (repo) => write("addRepo", repo),
    readRepo: (repoId) => reading((source) => readRepo(source, repoId)),
    listRepos: () => reading(listRepos),
    removeRepo: (repoId) => write("removeRepo", repoId),
    addToken: (request) => write("addToken", request),
    listTokens: () => reading(listTokens),
    revokeToken: (request) => write("revokeToken", request),
    markTokenUsed: (use) => write("markTokenUsed", use, { durable: false }),
    forgetTokens: (query) => write("forgetTokens", query),
    recall: (key) => reading((source) => recall(source, key)),
    forgetAnswers: (query) => write("forgetAnswers", query),
    renewLease: (lease) => write("renewLease", lease, whoIsAlive),
    listNodes: () => reading(listNodes),
    drainNode: (drain) => write("drainNode", drain),
    forgetNodes: (query) => write("forgetNodes", query),
    dropLease: (node) => write("dropLease", node, whoIsAlive),
    dropOtherLeases: (node) => write("dropOtherLeases", node, whoIsAlive),
    claim: (claim) => write("claimSession", claim, whoIsAlive),
    release: (claim) => write("releaseSession", claim, whoIsAlive),
    ownerOf: (sessionId) => reading((source) => readOwner(source, sessionId)),
    readFigures: (query) => reading((source) => readFigures(source, query)),
    tally: () => reading(tally),
    onOutsideWrites,
    call,
    listSetAside: () => reading(listSetAside),
    readRaw: (sessionId) => reading((source) => readRaw(source, sessionId)),
    unreadableSessions: (query) => reading((source) => unreadableSessions(source, query)),
    health: () =>
      reading(async (source) => ({
        schema: schema.name,
        setAside: await countSetAside(source),
        counts: await countSessions(source),
      })),
    close: () => calls.end(close),
  };
}

/** Calls under way when the store is closed are answered first; what comes later is refused. */
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

type UnreadRow = Omit<SetAsideRow, "at">;

/** Rows remembered as set aside already, so that reading them again costs no write. */
const KNOWN_ROWS = 10_000;

/** Returns how many sessions have left the lists by it. */
function settingAside(write: Writer, { clock, onSetAside = () => {} }: StoreOptions) {
  const known = new Set<string>();
  /** Sessions leave the lists when they are set aside; two readers may find one at the same time. */
  const told = new Set<string>();
  const tellOnce = (row: SetAsideRow): void => {
    if (told.has(keyOf(row))) return;
    if (told.size < KNOWN_ROWS) told.add(keyOf(row));
    onSetAside(row);
  };
  return async (unreadable: readonly UnreadRow[]): Promise<number> => {
    const rows = unreadable
      .filter((row) => !known.has(keyOf(row)))
      .map((row) => ({ ...row, at: clock() }));
    if (rows.length === 0) return 0;
    try {
      const left = await write("setAside", rows);
      for (const row of rows) tellOnce(row);
      const others = rows.filter(({ tableName }) => tableName !== "AgentSession");
      for (const row of others.slice(0, KNOWN_ROWS - known.size)) known.add(keyOf(row));
      return left;
    } catch (error) {
      // What can be read is still worth having; the next read tries again.
      if (error instanceof StorageFault) return 0;
      throw error;
    }
  };
}

function keyOf({ tableName, rowId }: UnreadRow): string {
  return `${tableName}/${rowId}`;
}
