import { evolveAll } from "../../domain/kernel/evolve.ts";
import type { SessionEvent } from "../../domain/kernel/event.ts";
import type { Session } from "../../domain/session.ts";
import { prepared, runStatement, runWrite } from "../prepared.ts";
import { toSessionColumns, type SessionColumns } from "../rows/session-row.ts";
import type { Change, Committed, CommitRefused, StoredSession } from "../ports/session-store.ts";
import type { Fence } from "../ports/node-store.ts";
import type { IdempotencyKeyRow, SessionRow } from "../tables.ts";
import { EventLog } from "./event-log.ts";
import { forgetReports } from "./forget-reports.ts";
import { addMessage } from "./message-writes.ts";
import { projectEvents, queuedIn } from "./project-events.ts";
import { indexSession } from "./search-document.ts";
import { LOCKED, lockSession, type SessionLock, type Transaction } from "./transaction.ts";

/** Stores events, the session they produce and all rows they affect, all or nothing. */
export async function commitChange(
  transaction: Transaction,
  change: Change,
): Promise<Committed | CommitRefused> {
  const { before } = change;
  const after = evolveAll(before?.session ?? null, change.events);
  const sessionId = before?.session.id ?? after?.id;
  if (sessionId === undefined) throw new Error("unreachable: a change of no session");

  const common = await commitRowFirst(transaction, change, after);
  if (common !== null) return common;
  const lock = await lockSession(transaction, sessionId);
  const earlier = await committedBefore(transaction, change, after, lock);
  if (earlier !== null) return earlier;
  const refused = refusalOf(lock, change);
  if (refused !== null) return { ok: false, refused };
  if (!(await rememberAnswer(transaction, change))) return { ok: false, refused: "remembered" };

  if (after === null) return deleteSession(transaction, sessionId, lock);
  if (lock === undefined && !(await insertSession(transaction, after, entriesOf(change)))) {
    await forgetAnswer(transaction, change);
    const isTaken = await isAgentIdTaken(transaction, after);
    return { ok: false, refused: isTaken ? "agent_id_taken" : "conflict" };
  }
  return storeSession(transaction, change, after, lock);
}

function refusalOf(
  lock: SessionLock | undefined,
  { before, fence }: Change,
): CommitRefused["refused"] | null {
  if (before === null) return lock === undefined ? null : "conflict";
  if (lock === undefined || lock.version !== before.version) return "conflict";
  return fence === undefined || holds(fence, lock) ? null : "fenced";
}

/**
 * Returns the result of an earlier attempt that stored the same change: its first event follows the version that was
 * decided on. The caller holds the session's lock, so no earlier attempt is still running.
 */
async function committedBefore(
  transaction: Transaction,
  { before, events, wasTried = false }: Change,
  after: Session | null,
  lock: SessionLock | undefined,
): Promise<Committed | null> {
  if (!wasTried || before === null || after === null || lock === undefined) return null;
  if (lock.version <= before.version) return null;
  const rows = await runStatement<{ readonly seq: number; readonly data: string | null }>(
    transaction,
    `select "seq", "data" from "SessionEvent"
      where "sessionId" = ? and "seq" > ? and "kind" = 'event' order by "seq" limit ${MAX_READ_BACK}`,
    [after.id, before.lastSeq],
  );
  const texts = events.map((event) => JSON.stringify(event));
  const first = rows.find(({ data }) => data === texts[0]);
  const last = rows.findLast(({ data }) => data === texts.at(-1));
  if (first === undefined || last === undefined) return null;
  const { owner, epoch, agentCursor } = lock;
  const version = before.version + 1;
  const stored = { session: after, version, lastSeq: last.seq, owner, epoch, agentCursor };
  return { ok: true, stored, firstSeq: first.seq, lastSeq: last.seq, written: null };
}

/** Maximum number of events between two attempts. */
const MAX_READ_BACK = 500;

export function holds(fence: Fence, lock: SessionLock): boolean {
  return lock.owner === fence.node && lock.epoch === fence.epoch;
}

/**
 * A message and the start of its run in fewer statements: the session's row is written first, which locks it, checks its
 * version and its fence, and takes the numbers of the log entries. Null if it stored nothing: the number of entries depends on
 * what is stored, or the row is not as expected. Then `commitChange` goes on with the lock.
 */
async function commitRowFirst(
  transaction: Transaction,
  change: Change,
  after: Session | null,
): Promise<Committed | null> {
  const { before, fence, agentCursor = null, remember, wasTried = false } = change;
  if (before === null || after === null || remember !== undefined || wasTried) return null;
  if (!hasKnownLength(change)) return null;
  const length = entriesOf(change);
  const { updatedAt, lastActiveAt } = after;
  const columns = changedColumns(before.session, after);
  delete columns.updatedAt;
  delete columns.lastActiveAt;
  const sets = [
    ...Object.keys(columns).map((name) => `"${name}" = ?`),
    // Output may have been appended since the session was loaded.
    `"updatedAt" = case when "updatedAt" > ? then "updatedAt" else ? end`,
    `"lastActiveAt" = case when "lastActiveAt" > ? then "lastActiveAt" else ? end`,
    `"version" = "version" + 1, "lastSeq" = "lastSeq" + ?, "agentCursor" = coalesce(?, "agentCursor")`,
  ];
  const [row] = await runStatement<SessionLock>(
    transaction,
    `update "AgentSession" set ${sets.join(", ")} where "id" = ? and "version" = ?
      ${fence === undefined ? "" : `and "owner" = ? and "epoch" = ?`} returning ${LOCKED}`,
    [
      ...Object.values(columns),
      updatedAt,
      updatedAt,
      lastActiveAt,
      lastActiveAt,
      length,
      agentCursor,
      after.id,
      before.version,
      ...(fence === undefined ? [] : [fence.node, fence.epoch]),
    ],
  );
  if (row === undefined) return null;
  const { updatedAt: storedAt, lastActiveAt: activeAt, ...rest } = row;
  const log = new EventLog(after.id, row.lastSeq - length);
  await projectChange(transaction, change, after, log);
  if (log.lastSeq !== row.lastSeq)
    throw new Error(`unreachable: ${log.lastSeq} is not the last entry, but ${row.lastSeq}`);
  const session = { ...after, updatedAt: storedAt, lastActiveAt: activeAt };
  return committed({ session, ...rest }, log);
}

/** Events that add one log entry each, and start with nothing that is stored. */
const COUNTED: ReadonlySet<string> = new Set<SessionEvent["type"]>([
  "message.queued",
  "run.handed",
  "session.resumed",
  "session.touched",
]);

function hasKnownLength(change: Change): boolean {
  return change.events.every(
    (event) =>
      COUNTED.has(event.type) ||
      (event.type === "run.started" && queuedIn(change, event.run.messageId)),
  );
}

async function projectChange(
  transaction: Transaction,
  change: Change,
  after: Session,
  log: EventLog,
): Promise<void> {
  await projectEvents(transaction, { change, after, log });
  for (const message of change.messages ?? [])
    await addMessage(transaction, log, message, message.at ?? after.updatedAt);
  await log.store(transaction);
}

function committed(stored: StoredSession, { firstSeq, lastSeq, written }: EventLog): Committed {
  return { ok: true, stored, firstSeq, lastSeq, written: written.all };
}

async function storeSession(
  transaction: Transaction,
  change: Change,
  after: Session,
  lock: SessionLock | undefined,
): Promise<Committed> {
  const log = new EventLog(after.id, (lock?.lastSeq ?? 0) + skippedBy(change));
  if (changesName(change)) await indexSession(transaction, after, lock === undefined);
  await projectChange(transaction, change, after, log);
  const stored =
    lock === undefined
      ? {
          session: after,
          version: 1,
          lastSeq: log.lastSeq,
          owner: null,
          epoch: 0,
          agentCursor: null,
        }
      : await updateSession(transaction, { before: change.before?.session ?? null, after }, lock, {
          lastSeq: log.lastSeq,
          agentCursor: change.agentCursor ?? lock.agentCursor,
        });
  return committed(stored, log);
}

/** More entries than can be lost: each checkpoint syncs the output before it, after far fewer entries. */
const LOST_AT_MOST = 1_000_000;

/**
 * The numbers that are left out. Output is stored without waiting for the disk, so a loss of power may have taken entries
 * that clients were shown. Their numbers are not used again: a client that has seen one of them misses nothing new.
 */
function skippedBy({ events }: Change): number {
  const isAfterCrash = events.some(
    (event) => event.type === "session.suspended" && event.cause === "crash",
  );
  return isAfterCrash ? LOST_AT_MOST : 0;
}

/** False when another process created it first, or another session has the agent ID. */
async function insertSession(
  transaction: Transaction,
  session: Session,
  lastSeq: number,
): Promise<boolean> {
  const rest = { version: 1, lastSeq, owner: null, epoch: 0, agentCursor: null, setAside: 0 };
  const row: SessionRow = { ...toSessionColumns(session), ...rest };
  const columns = Object.keys(row);
  const rows = await runStatement<{ id: string }>(
    transaction,
    `insert into "AgentSession" (${columns.map((column) => `"${column}"`).join(", ")})
      values (${columns.map(() => "?").join(", ")}) on conflict do nothing returning "id"`,
    Object.values(row),
  );
  return rows.length > 0;
}

export async function isAgentIdTaken(
  { db }: Transaction,
  { id, agentId }: Pick<Session, "id" | "agentId">,
): Promise<boolean> {
  if (agentId === null) return false;
  const others = await db
    .selectFrom("AgentSession")
    .select("id")
    .where("agentId", "=", agentId)
    .where("id", "<>", id)
    .execute();
  return others.length > 0;
}

/** The length of a new session's log. Its row is written before the log. */
function entriesOf({ events, messages = [], notices = {} }: Change): number {
  const deliveries = events.filter(({ type }) => type === "run.started").length;
  const noticeCount = Object.values(notices).reduce((sum, { length }) => sum + length, 0);
  return events.length + deliveries + messages.length + noticeCount;
}

async function updateSession(
  transaction: Transaction,
  { before, after }: { readonly before: Session | null; readonly after: Session },
  lock: SessionLock,
  { lastSeq, agentCursor }: Pick<SessionRow, "lastSeq" | "agentCursor">,
): Promise<StoredSession> {
  const version = lock.version + 1;
  // Output may have been appended since the session was loaded.
  const updatedAt = Math.max(lock.updatedAt, after.updatedAt);
  const times = { updatedAt, lastActiveAt: Math.max(lock.lastActiveAt, after.lastActiveAt) };
  const columns = { ...changedColumns(before, after), ...times, version, lastSeq, agentCursor };
  const names = Object.keys(columns).map((name) => `"${name}" = ?`);
  await runWrite(transaction, `update "AgentSession" set ${names.join(", ")} where "id" = ?`, [
    ...Object.values(columns),
    after.id,
  ]);
  const { owner, epoch } = lock;
  return { session: { ...after, ...times }, version, lastSeq, owner, epoch, agentCursor };
}

/** SQLite writes every index of a column that is set, even to the same value. */
function changedColumns(before: Session | null, after: Session): Partial<SessionColumns> {
  const former = new Map(before === null ? [] : Object.entries(toSessionColumns(before)));
  const changed = Object.entries(toSessionColumns(after)).filter(
    ([name, value]) => !former.has(name) || former.get(name) !== value,
  );
  return Object.fromEntries(changed);
}

function changesName({ events }: Change): boolean {
  return events.some(
    (event) =>
      event.type === "session.imported" ||
      (event.type === "session.created" &&
        [event.title, event.purpose, event.agentName].some((text) => text !== null)) ||
      (event.type === "session.updated" && event.changes.title !== undefined),
  );
}

/** False when another request with the same key was first. */
async function rememberAnswer(
  transaction: Transaction,
  { remember, events }: Change,
): Promise<boolean> {
  if (remember === undefined) return true;
  const { scope, key, requestHash } = remember;
  const response = JSON.stringify(remember.response);
  const createdAt = events[0]?.at ?? 0;
  const inserted = await insertAnswer(transaction, {
    scope,
    key,
    requestHash,
    response,
    createdAt,
  });
  return inserted.length > 0;
}

const insertAnswer = prepared(({ db }, answer: IdempotencyKeyRow) =>
  db
    .insertInto("IdempotencyKey")
    .values(answer)
    .onConflict((conflict) => conflict.doNothing())
    .returning("key"),
);

async function forgetAnswer({ db }: Transaction, { remember }: Change): Promise<void> {
  if (remember === undefined) return;
  const { scope, key } = remember;
  await db.deleteFrom("IdempotencyKey").where("scope", "=", scope).where("key", "=", key).execute();
}

async function deleteSession(
  transaction: Transaction,
  sessionId: string,
  lock: SessionLock | undefined,
): Promise<Committed> {
  await transaction.db.deleteFrom("AgentSession").where("id", "=", sessionId).execute();
  await forgetReports(transaction);
  const lastSeq = lock?.lastSeq ?? 0;
  return { ok: true, stored: null, firstSeq: lastSeq + 1, lastSeq, written: null };
}
