import type { CurrentRun } from "../../domain/run.ts";
import { UnreadableRow } from "../parse.ts";
import { toCurrentRun, toQueueEntry } from "../run-row.ts";
import { toSession } from "../session-row.ts";
import type { Loaded, ReadSession } from "../store.ts";
import type { SetAsideRow } from "../tables.ts";
import {
  openSuspensionRows,
  rawRow,
  selectSessions,
  toRecord,
  type FoundSession,
} from "./found-session.ts";
import { required, type Source } from "./source.ts";

/** The whole session, with the run it is busy with, what that waits for, and the queue. */
export async function loadSession(source: Source, sessionId: string): Promise<Loaded> {
  return atOneMoment(source, sessionId, async (moment, row) => {
    const record = toRecord(moment, row, await openSuspensionRows(moment, [row]));
    const run = row.state === "idle" ? null : await currentRun(moment, sessionId);
    const queue = row.queued === 0 ? [] : await queueOf(moment, sessionId);
    const { version, lastSeq, owner, epoch, failedAt } = row;
    const session = toSession(record, { run, queue, failedAt });
    return { found: "session", stored: { session, version, lastSeq, owner, epoch } };
  });
}

export async function readSession(source: Source, sessionId: string): Promise<ReadSession> {
  return atOneMoment(source, sessionId, async (moment, row) => ({
    found: "session",
    record: toRecord(moment, row, await openSuspensionRows(moment, [row])),
  }));
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
    const row = await selectSessions(source)
      .where("AgentSession.id", "=", sessionId)
      .executeTakeFirst();
    if (row === undefined) return { found: "nothing" };
    const bad: Omit<SetAsideRow, "at">[] = [];
    const moment: Source = { ...source, report: (found) => bad.push(found) };
    const result = await whenReadable(moment, row, read);
    const isAlone = row.state === "idle" && row.queued === 0;
    if (isAlone || (await versionOf(source, sessionId)) === row.version) {
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

async function versionOf({ db }: Source, sessionId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom("AgentSession")
    .select("version")
    .where("id", "=", sessionId)
    .executeTakeFirst();
  return row?.version;
}

async function currentRun(source: Source, sessionId: string): Promise<CurrentRun | null> {
  const rows = await source.db
    .selectFrom("Run")
    .selectAll()
    .where("sessionId", "=", sessionId)
    .where("status", "in", ["running", "suspended"])
    .execute();
  return (
    required(rows, { source, table: "Run", idOf: (row) => row.id, read: toCurrentRun }).at(0) ??
    null
  );
}

async function queueOf(source: Source, sessionId: string) {
  const rows = await source.db
    .selectFrom("QueuedMessage")
    .selectAll()
    .where("sessionId", "=", sessionId)
    .orderBy("position")
    .execute();
  return required(rows, {
    source,
    table: "QueuedMessage",
    idOf: (row) => row.messageId,
    read: toQueueEntry,
  });
}
