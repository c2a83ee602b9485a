import { sql } from "kysely";
import type { CurrentRun } from "../../domain/run.ts";
import { ARRIVING } from "../arrival.ts";
import { UnreadableRow } from "../rows/parse.ts";
import { prepared } from "../prepared.ts";
import { toCurrentRun, toQueueEntry } from "../rows/run-row.ts";
import { toSession } from "../rows/session-row.ts";
import type { Loaded, ReadSession } from "../store.ts";
import type { SetAsideRow } from "../tables.ts";
import {
  openSuspensionRows,
  rawRow,
  selectSessions,
  toRecord,
  type FoundSession,
} from "./found-session.ts";
import { queueRowsOf } from "./plain-reads.ts";
import { required, type Source } from "./source.ts";

/** The whole session, with the run it is busy with, what that waits for, and the queue. */
export async function loadSession(source: Source, sessionId: string): Promise<Loaded> {
  return atOneMoment(source, sessionId, async (moment, row) => {
    const record = toRecord(moment, row, await openSuspensionRows(moment, [row]));
    const run = row.state === "idle" ? null : await currentRun(moment, sessionId);
    const queue = row.queued === 0 ? [] : await queueOf(moment, sessionId);
    const { version, lastSeq, owner, epoch } = row;
    const session = toSession(record, { run, queue });
    return { found: "session", stored: { session, version, lastSeq, owner, epoch } };
  });
}

export async function readSession(source: Source, sessionId: string): Promise<ReadSession> {
  return atOneMoment(source, sessionId, async (moment, row) => ({
    found: "session",
    record: toRecord(moment, row, await openSuspensionRows(moment, [row])),
  }));
}

export async function findSession(source: Source, name: string): Promise<string | null> {
  const found = await sessionsCalled(source, { name });
  return found.find(({ id }) => id === name)?.id ?? found[0]?.id ?? null;
}

const sessionsCalled = prepared(({ db }, { name }: { name: string }) =>
  db
    .selectFrom("AgentSession")
    .select("id")
    .where((where) => where.or([where("id", "=", name), where("agentId", "=", name)]))
    .where("setAside", "<>", ARRIVING),
);

/** Its own id counts before what somebody called another one. */
export async function findSessions(
  { db }: Source,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map(); // PostgreSQL has no empty lists
  const found = await db
    .selectFrom("AgentSession")
    .select(["id", "agentId"])
    .where((where) => where.or([where("id", "in", names), where("agentId", "in", names)]))
    .where("setAside", "<>", ARRIVING)
    .execute();
  const asked = new Set(names);
  return new Map([
    ...found.flatMap(({ id, agentId }): [string, string][] =>
      agentId !== null && asked.has(agentId) ? [[agentId, id]] : [],
    ),
    ...found.flatMap(({ id }): [string, string][] => (asked.has(id) ? [[id, id]] : [])),
  ]);
}

type NotRead =
  | { readonly found: "nothing" }
  | { readonly found: "unreadable"; readonly reason: string };

/**
 * Several statements, one moment: when the session has changed between them, all is read again.
 * Only what is unreadable at one moment is reported.
 */
async function atOneMoment<Result>(
  source: Source,
  sessionId: string,
  read: (source: Source, row: FoundSession) => Promise<Result>,
): Promise<Result | NotRead> {
  for (;;) {
    const [row] = await rowOf(source, { sessionId });
    if (row === undefined) return { found: "nothing" };
    const bad: Omit<SetAsideRow, "at">[] = [];
    const moment: Source = { ...source, report: (found) => bad.push(found) };
    const result = await whenReadable(moment, row, read);
    const isAlone = row.state === "idle" && row.queued === 0;
    if (isAlone || (await versionsOf(source, { sessionId }))[0]?.version === row.version) {
      for (const found of bad) source.report(found);
      return result;
    }
  }
}

async function whenReadable<Result>(
  source: Source,
  row: FoundSession,
  read: (source: Source, row: FoundSession) => Promise<Result>,
): Promise<Result | NotRead> {
  try {
    return await read(source, row);
  } catch (error) {
    if (!(error instanceof UnreadableRow)) throw error;
    const reason = error.message;
    if (row.setAside === 0) {
      source.report({
        tableName: "AgentSession",
        rowId: row.id,
        reason,
        row: JSON.stringify(rawRow(row)),
      });
    }
    return { found: "unreadable", reason };
  }
}

const rowOf = prepared((source, { sessionId }: { sessionId: string }) =>
  selectSessions(source)
    .where("AgentSession.id", "=", sessionId)
    .where("AgentSession.setAside", "<>", ARRIVING),
);

const versionsOf = prepared(({ db }, { sessionId }: { sessionId: string }) =>
  db.selectFrom("AgentSession").select("version").where("id", "=", sessionId),
);

/** Written out, not bound: only so is it found by an index of what is at work, however many runs there were. */
const currentRunsOf = prepared(({ db }, { sessionId }: { sessionId: string }) =>
  db
    .selectFrom("Run")
    .selectAll()
    .where("sessionId", "=", sessionId)
    .where("status", "in", [sql.lit("running"), sql.lit("suspended")]),
);

async function currentRun(source: Source, sessionId: string): Promise<CurrentRun | null> {
  const rows = await currentRunsOf(source, { sessionId });
  return (
    required(rows, { source, table: "Run", idOf: (row) => row.id, read: toCurrentRun }).at(0) ??
    null
  );
}

async function queueOf(source: Source, sessionId: string) {
  const rows = await queueRowsOf(source, { sessionId });
  return required(rows, {
    source,
    table: "QueuedMessage",
    idOf: (row) => row.messageId,
    read: toQueueEntry,
  });
}
