import type { SessionEvent } from "../../domain/kernel/event.ts";
import type { Session } from "../../domain/session.ts";
import {
  ARRIVING,
  type Arrival,
  type ImportBegun,
  type ImportEnd,
  type ImportFinished,
} from "../arrival.ts";
import { toSessionColumns } from "../rows/session-row.ts";
import type { SessionRow } from "../tables.ts";
import { isAgentIdTaken } from "./commit-change.ts";
import { EventLog } from "./event-log.ts";
import { holdImport, isLeased, leaseImport } from "./import-lease.ts";
import { addSuspensions } from "./import-part.ts";
import { dropLease } from "./lease-writes.ts";
import { addMessage } from "./message-writes.ts";
import { indexSession } from "./search-document.ts";
import type { Transaction } from "./transaction.ts";

/** Takes the session's id, under a row that no list and no read shows. */
export async function beginImport(
  transaction: Transaction,
  { arrival, at }: { readonly arrival: Arrival; readonly at: number },
): Promise<ImportBegun> {
  const { db } = transaction;
  const begun = await db
    .insertInto("AgentSession")
    .values(arrivingRow(arrival, at))
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .execute();
  if (begun.length > 0) {
    await leaseImport(transaction, arrival);
    return { ok: true };
  }
  const found = await db
    .selectFrom("AgentSession")
    .select(["owner", "setAside"])
    .where("id", "=", arrival.sessionId)
    .executeTakeFirst();
  if (found === undefined || found.setAside !== ARRIVING || found.owner === null)
    return { ok: false, refused: "session_exists" };
  if (await isLeased(transaction, found.owner)) return { ok: false, refused: "being_imported" };
  const { sessionId } = arrival;
  return { ok: false, refused: "left_over", arrival: { sessionId, importId: found.owner } };
}

function arrivingRow({ sessionId, importId }: Arrival, at: number): SessionRow {
  const columns = toSessionColumns({
    id: sessionId,
    agentId: null,
    repoId: null,
    title: null,
    standing: { status: "active", activity: { state: "idle" } },
    delivery: "hold",
    queue: [],
    provider: null,
    model: null,
    agentName: null,
    purpose: null,
    metadata: {},
    phase: "initializing",
    phaseHistory: [],
    resumeReady: false,
    errorCount: 0,
    errorTotal: 0,
    lastError: null,
    lastRun: null,
    supportsResume: false,
    resumeData: [],
    forkedFrom: null,
    createdAt: at,
    updatedAt: at,
    lastActiveAt: at,
    finalizedAt: null,
    summary: null,
  });
  return { ...columns, version: 0, lastSeq: 0, owner: importId, epoch: 0, setAside: ARRIVING };
}

/**
 * The session is here, as a whole. Its log begins with its creation, has each message at its old number,
 * and then says what the session is here: it folds to the row like any other, and old cursors stay good.
 */
export async function finishImport(
  transaction: Transaction,
  { arrival, at, session, lastSeq, suspensions, notices }: ImportEnd,
): Promise<ImportFinished> {
  const { db } = transaction;
  if (!(await holdImport(transaction, arrival))) return { ok: false, refused: "import_lost" };
  if (!(await isRepo(transaction, session.repoId))) return { ok: false, refused: "repo_missing" };
  if (await isAgentIdTaken(transaction, session)) return { ok: false, refused: "agent_id_taken" };
  if (suspensions.length > 0) {
    const { sessionId } = arrival;
    const refused = await addSuspensions(transaction, { sessionId, rows: suspensions });
    if (refused !== null) return refused;
  }
  const first = new EventLog(session.id, 0);
  first.addEvent(creationOf(session));
  await first.store(transaction);
  const log = new EventLog(session.id, lastSeq);
  log.addEvent({ type: "session.imported", at, session });
  for (const message of notices)
    await addMessage(transaction, { sessionId: session.id, message, complete: true, at, log });
  await log.store(transaction);
  await indexSession(transaction, { session, isNew: true });
  const stored = { version: 1, lastSeq: log.lastSeq, owner: null, epoch: 0 };
  await db
    .updateTable("AgentSession")
    .set({ ...toSessionColumns(session), ...stored, setAside: 0 })
    .where("id", "=", session.id)
    .execute();
  await dropLease(transaction, arrival.importId);
  return { ok: true, stored: { session, ...stored } };
}

async function isRepo({ db }: Transaction, repoId: string | null): Promise<boolean> {
  if (repoId === null) return true;
  const found = await db.selectFrom("Repo").select("id").where("id", "=", repoId).execute();
  return found.length > 0;
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
    forkedFrom: session.forkedFrom,
  };
}
