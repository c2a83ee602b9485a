import type { SessionEvent } from "../../domain/event.ts";
import { currentRunOf, type Session } from "../../domain/session.ts";
import { toFlag } from "../parse.ts";
import type { ImportDone, ImportedSession, ImportRefused } from "../store.ts";
import type { QueuedMessageRow, RunRow, SuspensionRow } from "../tables.ts";
import { insertSession } from "./commit-change.ts";
import { EventLog } from "./event-log.ts";
import { addMessage } from "./message-writes.ts";
import { indexMessage, indexSession } from "./search-document.ts";
import type { Transaction } from "./transaction.ts";

/** Rows of one insert, and ids of one question; bounded by the parameters a statement may have. */
const ROWS_PER_STATEMENT = 100;

/**
 * The log of an imported session begins with its creation, has each message at its old number, and then
 * says what the session is here: it folds to the row like any other, and old cursors stay good.
 */
export async function importSession(
  transaction: Transaction,
  imported: ImportedSession,
): Promise<ImportDone | ImportRefused> {
  const { session, at, notices } = imported;
  if (await exists(transaction, session.id)) return { ok: false, refused: "session_exists" };
  const taken = await takenIds(transaction, imported);
  if (taken.length > 0) return { ok: false, refused: "ids_taken", taken };

  const log = new EventLog(session.id, imported.lastSeq);
  log.addEvent({ type: "session.imported", at, session });
  const lastSeq = log.lastSeq + notices.length;
  if (!(await insertSession(transaction, { session, lastSeq })))
    return { ok: false, refused: "session_exists" };
  await indexSession(transaction, { session, isNew: true });
  await addHistory(transaction, imported);
  await addWork(transaction, imported);
  for (const message of notices)
    await addMessage(transaction, { sessionId: session.id, message, complete: true, at, log });
  await log.store(transaction);
  return { ok: true, stored: { session, version: 1, lastSeq, owner: null, epoch: 0 } };
}

async function exists({ db }: Transaction, sessionId: string): Promise<boolean> {
  const found = await db
    .selectFrom("AgentSession")
    .select("id")
    .where("id", "=", sessionId)
    .executeTakeFirst();
  return found !== undefined;
}

async function takenIds(
  { db }: Transaction,
  { messages, queued, runs, suspensions }: ImportedSession,
): Promise<readonly string[]> {
  const taken = new Set<string>();
  const messageIds = [...messages.map(({ id }) => id), ...queued.map((one) => one.messageId)];
  for (const ids of chunked(messageIds)) {
    const said = db.selectFrom("AgentMessage").select("id").where("id", "in", ids);
    const waiting = db
      .selectFrom("QueuedMessage")
      .select("messageId as id")
      .where("messageId", "in", ids);
    for (const { id } of await said.unionAll(waiting).execute()) taken.add(id);
  }
  for (const ids of chunked(runs.map(({ id }) => id))) {
    const found = await db.selectFrom("Run").select("id").where("id", "in", ids).execute();
    for (const { id } of found) taken.add(id);
  }
  for (const ids of chunked(suspensions.map(({ id }) => id))) {
    const found = await db.selectFrom("Suspension").select("id").where("id", "in", ids).execute();
    for (const { id } of found) taken.add(id);
  }
  return [...taken];
}

async function addHistory(
  transaction: Transaction,
  { session, messages }: ImportedSession,
): Promise<void> {
  const { db } = transaction;
  const sessionId = session.id;
  const created = JSON.stringify(creationOf(session));
  const first = { sessionId, at: session.createdAt, kind: "event", messageId: null, data: created };
  await db
    .insertInto("SessionEvent")
    .values({ ...first, seq: 1 })
    .execute();
  for (const part of chunked(messages)) {
    await db
      .insertInto("AgentMessage")
      .values(
        part.map(({ id, runId, seq, role, content, at }) => ({
          id,
          sessionId,
          runId,
          seq,
          role,
          content: JSON.stringify(content),
          complete: 1,
          timestamp: at,
        })),
      )
      .execute();
    await db
      .insertInto("SessionEvent")
      .values(
        part.map(({ id: messageId, seq, at }) => ({
          sessionId,
          seq,
          at,
          kind: "message",
          messageId,
          data: null,
        })),
      )
      .execute();
    for (const { id, content } of part) await indexMessage(transaction, { id, sessionId, content });
  }
}

function creationOf(session: Session): SessionEvent {
  return {
    type: "session.created",
    at: session.createdAt,
    id: session.id,
    repoId: session.repoId,
    title: session.title,
    provider: session.provider,
    model: session.model,
    agentName: session.agentName,
    purpose: session.purpose,
    metadata: session.metadata,
    forkedFrom: session.forkedFrom,
  };
}

/** Runs with what they waited for, and the queue. */
async function addWork({ db }: Transaction, imported: ImportedSession): Promise<void> {
  for (const rows of chunked(runRows(imported))) await db.insertInto("Run").values(rows).execute();
  for (const rows of chunked(suspensionRows(imported)))
    await db.insertInto("Suspension").values(rows).execute();
  for (const rows of chunked(queueRows(imported)))
    await db.insertInto("QueuedMessage").values(rows).execute();
}

function runRows({ session, runs }: ImportedSession): RunRow[] {
  const current = currentRunOf(session);
  const queue = new Map(session.queue.map((entry) => [entry.runId, entry]));
  return runs.map((run) => ({
    ...run,
    sessionId: session.id,
    continuity: (current?.id === run.id ? current : queue.get(run.id))?.continuity ?? "auto",
    handed: toFlag(current?.id === run.id && current.handed),
    error: run.error === null ? null : JSON.stringify(run.error),
    usage: run.usage === null ? null : JSON.stringify(run.usage),
    memory: run.memory === null ? null : JSON.stringify(run.memory),
  }));
}

function suspensionRows({ session, suspensions }: ImportedSession): SuspensionRow[] {
  return suspensions.map((suspension) => ({
    ...suspension,
    sessionId: session.id,
    request: JSON.stringify(suspension.request),
    answer: suspension.answer === null ? null : JSON.stringify(suspension.answer),
  }));
}

function queueRows({ session, queued }: ImportedSession): QueuedMessageRow[] {
  const waiting = new Map(queued.map((message) => [message.messageId, message]));
  return session.queue.map((entry, index) => {
    const message = waiting.get(entry.messageId);
    if (message === undefined)
      throw new Error(`unreachable: queued message ${entry.messageId} came without its content`);
    return {
      ...entry,
      sessionId: session.id,
      position: index + 1,
      content: JSON.stringify(message.content),
      queuedAt: message.queuedAt,
    };
  });
}

function chunked<Item>(items: readonly Item[]): readonly Item[][] {
  return Array.from({ length: Math.ceil(items.length / ROWS_PER_STATEMENT) }, (_, index) =>
    items.slice(index * ROWS_PER_STATEMENT, (index + 1) * ROWS_PER_STATEMENT),
  );
}
