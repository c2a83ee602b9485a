import { sql } from "kysely";
import { contentText } from "../rows/message-row.ts";
import { toSettingsColumn } from "../rows/run-row.ts";
import { toFlag } from "../rows/parse.ts";
import type {
  ImportAdded,
  ImportPart,
  StagedMessage,
  StagedQueueEntry,
  StagedRun,
  StagedSuspension,
} from "../ports/import-store.ts";
import type { RunRow, Tables } from "../tables.ts";
import { holdImport } from "./import-lease.ts";
import { indexMessages } from "./search-document.ts";
import type { Transaction } from "./transaction.ts";

type Refusal = Exclude<ImportAdded, { readonly ok: true }>;

/** Rows per insert, bounded by the number of parameters in a statement. */
const ROWS_PER_STATEMENT = 250;

/** Rows stored before a refusal are removed when the import is dropped. */
export async function addToImport(
  transaction: Transaction,
  { staging, runs, suspensions, messages, queued }: ImportPart,
): Promise<ImportAdded> {
  if (!(await holdImport(transaction, staging))) return { ok: false, refused: "import_lost" };
  const { sessionId } = staging;
  return (
    (await inChunks(runs, (rows) =>
      insertRows(transaction, sessionId, "Run", rows.map(toRunRow)),
    )) ??
    (await inChunks(suspensions, (rows) => addSuspensions(transaction, sessionId, rows))) ??
    (await inChunks(messages, (rows) => addMessages(transaction, sessionId, rows))) ??
    (await inChunks(queued, (rows) => addQueued(transaction, sessionId, rows))) ?? { ok: true }
  );
}

async function inChunks<Row>(
  rows: readonly Row[],
  add: (chunk: readonly Row[]) => Promise<Refusal | null>,
): Promise<Refusal | null> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const refused = await add(rows.slice(start, start + ROWS_PER_STATEMENT));
    if (refused !== null) return refused;
  }
  return null;
}

function toRunRow(run: StagedRun): Partial<RunRow> {
  return {
    ...run,
    handed: toFlag(run.handed),
    settings: toSettingsColumn(run.settings),
    error: toJson(run.error),
    usage: toJson(run.usage),
    memory: toJson(run.memory),
    // The objects of its files are elsewhere.
    filesBefore: null,
    filesAfter: null,
    changes: run.changes === null ? null : JSON.stringify(run.changes),
    // Kept, but not shown: they belong to the place the session came from.
    unusedAnswers: run.unusedAnswers.length === 0 ? null : JSON.stringify(run.unusedAnswers),
  };
}

export async function addSuspensions(
  transaction: Transaction,
  sessionId: string,
  rows: readonly StagedSuspension[],
): Promise<Refusal | null> {
  const runIds = [...new Set(rows.map(({ runId }) => runId))];
  const runs = await transaction.db
    .selectFrom("Run")
    .select("id")
    .where("id", "in", runIds)
    .where("sessionId", "=", sessionId)
    .execute();
  const existing = new Set(runs.map(({ id }) => id));
  const stray = rows.find(({ runId }) => !existing.has(runId));
  if (stray !== undefined) return { ok: false, refused: "no_run", suspensionId: stray.id };
  const suspensions = rows.map((suspension) => ({
    ...suspension,
    request: JSON.stringify(suspension.request),
    answer: toJson(suspension.answer),
  }));
  return insertRows(transaction, sessionId, "Suspension", suspensions);
}

async function addMessages(
  transaction: Transaction,
  sessionId: string,
  rows: readonly StagedMessage[],
): Promise<Refusal | null> {
  const { db } = transaction;
  // A requeued message is both in the history and in the queue of its own session.
  const ids = rows.map(({ id }) => id);
  const others = await db
    .selectFrom("QueuedMessage")
    .select("messageId")
    .where("messageId", "in", ids)
    .where("sessionId", "<>", sessionId)
    .execute();
  if (others.length > 0) return { ok: false, refused: "ids_taken" };
  const messages = rows.map(({ id, runId, seq, role, at: timestamp, ...row }) => {
    const content = contentText(row.content, true);
    return { id, runId, seq, role, content, complete: 1, timestamp };
  });
  const refused = await insertRows(transaction, sessionId, "AgentMessage", messages);
  if (refused !== null) return refused;
  const entries = rows.map(({ id: messageId, seq, at }) => ({ sessionId, seq, at, messageId }));
  await db
    .insertInto("SessionEvent")
    .values(entries.map((entry) => ({ ...entry, kind: "message", data: null })))
    .execute();
  await indexMessages(transaction, sessionId, rows);
  return null;
}

async function addQueued(
  transaction: Transaction,
  sessionId: string,
  rows: readonly StagedQueueEntry[],
): Promise<Refusal | null> {
  const ids = rows.map(({ messageId }) => messageId);
  const others = await transaction.db
    .selectFrom("AgentMessage")
    .select("id")
    .where("id", "in", ids)
    .where("sessionId", "<>", sessionId)
    .execute();
  if (others.length > 0) return { ok: false, refused: "ids_taken" };
  const queued = rows.map((row) => ({
    ...row,
    settings: toSettingsColumn(row.settings),
    content: contentText(row.content, true),
  }));
  return insertRows(transaction, sessionId, "QueuedMessage", queued);
}

/** Refused if a row with one of the IDs exists. All rows have the same columns. */
async function insertRows<Table extends "Run" | "Suspension" | "AgentMessage" | "QueuedMessage">(
  { db }: Transaction,
  sessionId: string,
  table: Table,
  rows: readonly Partial<Tables[Table]>[],
): Promise<Refusal | null> {
  const key = table === "QueuedMessage" ? "messageId" : "id";
  const records = rows.map((row) => new Map(Object.entries({ ...row, sessionId })));
  const columns = [...(records[0]?.keys() ?? [])];
  const values = records.map(
    (record) => sql`(${sql.join(columns.map((column) => sql`${record.get(column)}`))})`,
  );
  const inserted = await sql<{ id: string }>`
    insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    values ${sql.join(values)} on conflict do nothing returning ${sql.ref(key)} as "id"`.execute(
    db,
  );
  const stored = new Set(inserted.rows.map(({ id }) => id));
  // An ID that the part contains twice is stored once.
  const missing = records.map((record) => String(record.get(key))).find((id) => !stored.delete(id));
  if (missing === undefined) return null;
  const owners = await sql<{ sessionId: string }>`
    select "sessionId" from ${sql.table(table)} where ${sql.ref(key)} = ${missing}`.execute(db);
  return owners.rows.some((owner) => owner.sessionId === sessionId)
    ? { ok: false, refused: "repeated", id: missing }
    : { ok: false, refused: "ids_taken" };
}

function toJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}
