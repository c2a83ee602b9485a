import { sql } from "kysely";
import type { SessionEvent } from "../../domain/kernel/event.ts";
import type { Session } from "../../domain/session.ts";
import type { ImportBegun, ImportEnd, ImportFinished, Staging } from "../ports/import-store.ts";
import { STAGED } from "../tables.ts";
import { stagedRow, toSessionColumns } from "../rows/session-row.ts";
import { isAgentIdTaken } from "./commit-change.ts";
import { EventLog } from "./event-log.ts";
import { holdImport, isLeased, leaseImport, takeFromImport } from "./import-lease.ts";
import { addSuspensions } from "./import-part.ts";
import { dropLease } from "./lease-writes.ts";
import { addMessage } from "./message-writes.ts";
import { indexSession } from "./search-document.ts";
import type { Transaction } from "./transaction.ts";

/** Reserves the session's ID with a row that no read shows. */
export async function beginImport(
  transaction: Transaction,
  { staging, at }: { readonly staging: Staging; readonly at: number },
): Promise<ImportBegun> {
  const { db } = transaction;
  const inserted = await db
    .insertInto("AgentSession")
    .values(stagedRow(staging.sessionId, staging.importId, at))
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .execute();
  if (inserted.length > 0) {
    await leaseImport(transaction, staging);
    return { ok: true };
  }
  const existing = await db
    .selectFrom("AgentSession")
    .select(["owner", "setAside"])
    .where("id", "=", staging.sessionId)
    .executeTakeFirst();
  if (existing === undefined || existing.setAside !== STAGED || existing.owner === null)
    return { ok: false, refused: "session_exists" };
  if (await isLeased(transaction, existing.owner)) return { ok: false, refused: "being_imported" };
  const { sessionId } = staging;
  return { ok: false, refused: "left_over", staging: { sessionId, importId: existing.owner } };
}

/**
 * Makes the session visible. Its log starts with its creation, keeps each message at its old number, and ends with the
 * imported session: replaying it produces the row, and old cursors stay valid.
 */
export async function finishImport(
  transaction: Transaction,
  { staging, at, session, lastSeq, suspensions, notices }: ImportEnd,
): Promise<ImportFinished> {
  const { db } = transaction;
  if (!(await holdImport(transaction, staging))) return { ok: false, refused: "import_lost" };
  if (!(await isRepo(transaction, session.repoId))) return { ok: false, refused: "repo_missing" };
  if (await isAgentIdTaken(transaction, session)) return { ok: false, refused: "agent_id_taken" };
  if (suspensions.length > 0) {
    const refused = await addSuspensions(transaction, staging.sessionId, suspensions);
    if (refused !== null) return refused;
  }
  const first = new EventLog(session.id, 0);
  first.addEvent(creationOf(session));
  await first.store(transaction);
  const log = new EventLog(session.id, lastSeq);
  log.addEvent({ type: "session.imported", at, session });
  for (const message of notices) await addMessage(transaction, log, message, at);
  await log.store(transaction);
  await indexSession(transaction, session, true);
  const stored = { version: 1, lastSeq: log.lastSeq, owner: null, epoch: 0, agentCursor: null };
  await db
    .updateTable("AgentSession")
    .set({ ...toSessionColumns(session), ...stored, setAside: 0 })
    .where("id", "=", session.id)
    .execute();
  await dropLease(transaction, staging.importId);
  return { ok: true, stored: { session, ...stored } };
}

async function isRepo({ db }: Transaction, repoId: string | null): Promise<boolean> {
  if (repoId === null) return true;
  const repos = await db.selectFrom("Repo").select("id").where("id", "=", repoId).execute();
  return repos.length > 0;
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
    agentId: session.agentId,
    metadata: session.metadata,
    mcpServers: session.mcpServers,
    directories: session.directories,
    forkedFrom: session.forkedFrom,
  };
}

/** Rows deleted per call, so that other writers do not wait long. */
const ROWS_PER_DROP = 1_000;

/** Tables with any number of rows per session. Dependent rows are deleted with them. */
const LARGE_TABLES = [
  { table: "AgentMessage", key: "id" },
  { table: "SessionEvent", key: "seq" },
  { table: "Suspension", key: "id" },
  { table: "Run", key: "id" },
] as const;

/** True when no row of the import is left. */
export async function dropImport(transaction: Transaction, staging: Staging): Promise<boolean> {
  if (!(await takeFromImport(transaction, staging))) return true;
  const { db } = transaction;
  const { sessionId } = staging;
  for (const { table, key } of LARGE_TABLES) {
    const batch = sql`select ${sql.ref(key)} from ${sql.table(table)}
      where "sessionId" = ${sessionId} limit ${ROWS_PER_DROP}`;
    const { numAffectedRows } = await sql`delete from ${sql.table(table)}
      where "sessionId" = ${sessionId} and ${sql.ref(key)} in (${batch})`.execute(db);
    if (numAffectedRows === BigInt(ROWS_PER_DROP)) return false;
  }
  await db.deleteFrom("AgentSession").where("id", "=", sessionId).execute();
  return true;
}
