import { listSessions, countSessions } from "./reads/list-sessions.ts";
import { loadSession, readSession } from "./reads/load-session.ts";
import {
  countSetAside,
  inactiveSessions,
  listRepos,
  listSetAside,
  openSuspensions,
  readQueue,
  readRepo,
  readRun,
  readRuns,
  readSuspension,
  recall,
  unsettledSessions,
} from "./reads/plain-reads.ts";
import { readEvents } from "./reads/read-events.ts";
import { readMessages } from "./reads/read-messages.ts";
import type { Source } from "./reads/source.ts";
import type { SessionPage, SessionQuery, Store } from "./store.ts";
import type { Database, SetAsideRow } from "./tables.ts";
import type { Writer } from "./writes/writes.ts";

interface Parts {
  readonly engine: Store["engine"];
  readonly db: Database;
  readonly write: Writer;
  readonly schema: string;
  readonly clock: () => number;
  readonly translate: (error: unknown) => unknown;
  readonly close: () => Promise<void>;
}

/** The store, the same for both engines: what differs is how a transaction is run and how it fails. */
export function portableStore({ engine, db, write, schema, clock, translate, close }: Parts): Store {
  /** Reads, reports what could not be read, and names failures as faults. */
  const reading = async <Result>(read: (source: Source) => Promise<Result>): Promise<Result> => {
    const bad: SetAsideRow[] = [];
    const source: Source = { db, engine, report: (row) => bad.push({ ...row, at: clock() }) };
    try {
      const result = await read(source);
      if (bad.length > 0) await write("setAside", bad);
      return result;
    } catch (error) {
      throw translate(error);
    }
  };

  /** Rows set aside leave the list, so it is read again until it is whole; each turn removes some. */
  const list = async (query: SessionQuery): Promise<SessionPage> => {
    let unreadable = 0;
    const page = await reading(async (source) =>
      listSessions(
        {
          ...source,
          report: (row) => {
            if (row.tableName === "AgentSession") unreadable += 1;
            source.report(row);
          },
        },
        query,
      ),
    );
    return unreadable > 0 ? list(query) : page;
  };

  return {
    engine,
    load: (sessionId) => reading((source) => loadSession(source, sessionId)),
    commit: (change) => write("commitChange", change),
    append: (output) => write("appendOutput", output, { durable: output.durable }),
    listSessions: list,
    readSession: (sessionId) => reading((source) => readSession(source, sessionId)),
    readMessages: (query) => reading((source) => readMessages(source, query)),
    readEvents: (query) => reading((source) => readEvents(source, query)),
    readQueue: (sessionId) => reading((source) => readQueue(source, sessionId)),
    readRun: (runId) => reading((source) => readRun(source, runId)),
    readRuns: (sessionId) => reading((source) => readRuns(source, sessionId)),
    readSuspension: (suspensionId) => reading((source) => readSuspension(source, suspensionId)),
    openSuspensions: () => reading(openSuspensions),
    unsettledSessions: () => reading(unsettledSessions),
    inactiveSessions: (query) => reading((source) => inactiveSessions(source, query)),
    deleteSessions: (sessionIds) => write("deleteSessions", sessionIds),
    addRepo: (repo) => write("addRepo", repo),
    readRepo: (repoId) => reading((source) => readRepo(source, repoId)),
    listRepos: () => reading(listRepos),
    removeRepo: (repoId) => write("removeRepo", repoId),
    recall: (key) => reading((source) => recall(source, key)),
    forgetAnswers: (query) => write("forgetAnswers", query),
    renewLease: (lease) => write("renewLease", lease),
    dropLease: (node) => write("dropLease", node),
    claim: (claim) => write("claimSession", claim),
    release: (claim) => write("releaseSession", claim),
    listSetAside: () => reading(listSetAside),
    health: () =>
      reading(async (source) => ({
        schema,
        setAside: await countSetAside(source),
        counts: await countSessions(source),
      })),
    close,
  };
}
