import { UnreadableRow } from "../parse.ts";
import { toCurrentRun, toQueueEntry, toSuspension } from "../run-row.ts";
import { fromSessionRow, toSession } from "../session-row.ts";
import type { Loaded, ReadSession, SessionRecord } from "../store.ts";
import type { Suspension } from "../../domain/suspension.ts";
import type { SessionRow } from "../tables.ts";
import type { Source } from "./source.ts";

/** The whole session, with the run it is busy with, what that waits for, and the queue. */
export async function loadSession(source: Source, sessionId: string): Promise<Loaded> {
  const row = await sessionRow(source, sessionId);
  if (row === undefined) return { found: "nothing" };
  return whenReadable(source, row, async () => {
    const [record, run, queue] = [
      await toRecord(source, row),
      row.state === "idle" ? null : await currentRun(source, sessionId),
      row.queued === 0 ? [] : await queueOf(source, sessionId),
    ];
    const { version, lastSeq, owner, epoch, failedAt } = row;
    const session = toSession(record, { run, queue, failedAt });
    return { found: "session", stored: { session, version, lastSeq, owner, epoch } };
  });
}

export async function readSession(source: Source, sessionId: string): Promise<ReadSession> {
  const row = await sessionRow(source, sessionId);
  if (row === undefined) return { found: "nothing" };
  return whenReadable(source, row, async () => ({ found: "session", record: await toRecord(source, row) }));
}

async function whenReadable<Result>(
  source: Source,
  row: SessionRow,
  read: () => Promise<Result>,
): Promise<Result | { readonly found: "unreadable"; readonly reason: string }> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UnreadableRow)) throw error;
    const reason = error.message;
    source.report({ tableName: "AgentSession", rowId: row.id, reason, row: JSON.stringify(row) });
    return { found: "unreadable", reason };
  }
}

async function toRecord(source: Source, row: SessionRow): Promise<SessionRecord> {
  const suspensions = row.state === "suspended" ? await openSuspensionsOf(source, row.id) : [];
  return fromSessionRow(row, suspensions);
}

async function sessionRow({ db }: Source, sessionId: string): Promise<SessionRow | undefined> {
  return db.selectFrom("AgentSession").selectAll().where("id", "=", sessionId).executeTakeFirst();
}

async function currentRun({ db }: Source, sessionId: string) {
  const row = await db
    .selectFrom("Run")
    .selectAll()
    .where("sessionId", "=", sessionId)
    .where("status", "in", ["running", "suspended"])
    .executeTakeFirst();
  return row === undefined ? null : toCurrentRun(row);
}

async function queueOf({ db }: Source, sessionId: string) {
  const rows = await db
    .selectFrom("QueuedMessage")
    .selectAll()
    .where("sessionId", "=", sessionId)
    .orderBy("position")
    .execute();
  return rows.map(toQueueEntry);
}

async function openSuspensionsOf({ db }: Source, sessionId: string): Promise<readonly Suspension[]> {
  const rows = await db
    .selectFrom("Suspension")
    .selectAll()
    .where("sessionId", "=", sessionId)
    .where("status", "=", "open")
    .orderBy("createdAt")
    .orderBy("id")
    .execute();
  return rows.map(toSuspension);
}
