import { STAGED, type RunRow, type SessionRow, type SetAsideRow } from "../tables.ts";
import { UnreadableRow } from "../rows/parse.ts";
import { written } from "../prepared.ts";
import { toCurrentRun, toQueueEntry } from "../rows/run-row.ts";
import { toSession } from "../rows/session-row.ts";
import type { Loaded, ReadSession, Unloaded } from "../ports/session-store.ts";
import { openSuspensionRows, toRecord, type JoinedSession } from "./joined-session.ts";
import { queueRowsOf } from "./plain-reads.ts";
import { reportingTo, reportRow, required, type Source } from "./source.ts";

/** The session with its current run, its open suspensions and its queue. */
export async function loadSession(source: Source, sessionId: string): Promise<Loaded> {
  return atOneMoment(source, sessionId, async (moment, row) => {
    const record = toRecord(moment, row, await openSuspensionRows(moment, [row]));
    const runs = row.state === "idle" ? [] : await currentRunsOf(moment, { sessionId });
    const [run = null] = required(moment, "Run", runs, toCurrentRun);
    const queued = row.queued === 0 ? [] : await queueRowsOf(moment, { sessionId });
    const queue = required(moment, "QueuedMessage", queued, toQueueEntry);
    const { version, lastSeq, owner, epoch, agentCursor } = row;
    const session = toSession(record, { run, queue });
    const stored = { session, version, lastSeq, owner, epoch, agentCursor };
    return { found: "session", stored };
  });
}

export async function readSession(source: Source, sessionId: string): Promise<ReadSession> {
  return atOneMoment(source, sessionId, async (moment, row) => ({
    found: "session",
    record: toRecord(moment, row, await openSuspensionRows(moment, [row])),
  }));
}

export async function findSession(source: Source, name: string): Promise<string | null> {
  const sessions = await sessionsCalled(source, { name });
  return sessions.find(({ id }) => id === name)?.id ?? sessions[0]?.id ?? null;
}

const sessionsCalled = written<{ name: string }, Pick<SessionRow, "id">>(
  `select "id" from "AgentSession" where ("id" = ? or "agentId" = ?) and "setAside" <> ${STAGED}`,
  ["name", "name"],
);

/** A session's own ID takes precedence over another session's agent ID. */
export async function findSessions(
  { db }: Source,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map(); // PostgreSQL has no empty lists
  const sessions = await db
    .selectFrom("AgentSession")
    .select(["id", "agentId"])
    .where((where) => where.or([where("id", "in", names), where("agentId", "in", names)]))
    .where("setAside", "<>", STAGED)
    .execute();
  const requested = new Set(names);
  return new Map([
    ...sessions.flatMap(({ id, agentId }): [string, string][] =>
      agentId !== null && requested.has(agentId) ? [[agentId, id]] : [],
    ),
    ...sessions.flatMap(({ id }): [string, string][] => (requested.has(id) ? [[id, id]] : [])),
  ]);
}

/**
 * Reads with several statements as of one moment: reads again if the session changed in between. Only rows of a
 * consistent read are reported.
 */
async function atOneMoment<Result>(
  source: Source,
  sessionId: string,
  read: (source: Source, row: JoinedSession) => Promise<Result>,
): Promise<Result | Unloaded> {
  for (;;) {
    const [row] = await rowOf(source, { sessionId });
    if (row === undefined) return { found: "nothing" };
    const bad: Omit<SetAsideRow, "at">[] = [];
    const moment = reportingTo(source, (row) => bad.push(row));
    const result = await whenReadable(moment, row, read);
    const isAlone = row.state === "idle" && row.queued === 0;
    if (isAlone || (await versionsOf(source, { sessionId }))[0]?.version === row.version) {
      for (const badRow of bad) source.report(badRow);
      return result;
    }
  }
}

async function whenReadable<Result>(
  source: Source,
  row: JoinedSession,
  read: (source: Source, row: JoinedSession) => Promise<Result>,
): Promise<Result | Unloaded> {
  try {
    return await read(source, row);
  } catch (error) {
    if (!(error instanceof UnreadableRow)) throw error;
    if (row.setAside === 0) reportRow(source, "AgentSession", row, error.message);
    return { found: "unreadable", reason: error.message };
  }
}

const rowOf = written<{ sessionId: string }, JoinedSession>(
  `select "AgentSession".*, "Repo"."id" as "knownRepo" from "AgentSession"
    left join "Repo" on "Repo"."id" = "AgentSession"."repoId"
    where "AgentSession"."id" = ? and "AgentSession"."setAside" <> ${STAGED}`,
  ["sessionId"],
);

const versionsOf = written<{ sessionId: string }, Pick<SessionRow, "version">>(
  `select "version" from "AgentSession" where "id" = ?`,
  ["sessionId"],
);

/** Literals, not parameters: only then is the partial index of current runs used. */
const currentRunsOf = written<{ sessionId: string }, RunRow>(
  `select * from "Run" where "sessionId" = ? and "status" in ('running', 'suspended')`,
  ["sessionId"],
);
