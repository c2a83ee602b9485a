import { contentText } from "../rows/message-row.ts";
import { toFlag } from "../rows/parse.ts";
import type {
  Arrival,
  ArrivingMessage,
  ArrivingQueued,
  ArrivingRun,
  ArrivingSuspension,
  ImportAdded,
  ImportPart,
} from "../arrival.ts";
import { holdImport } from "./import-lease.ts";
import { indexMessages } from "./search-document.ts";
import type { Transaction } from "./transaction.ts";

type Refused = Exclude<ImportAdded, { readonly ok: true }>;

/** Rows of one insert; bounded by the parameters a statement may have. */
const ROWS_PER_STATEMENT = 250;

/** What of a part has been stored when it is refused goes when the import is dropped. */
export async function addToImport(
  transaction: Transaction,
  { arrival, runs, suspensions, messages, queued }: ImportPart,
): Promise<ImportAdded> {
  if (!(await holdImport(transaction, arrival))) return { ok: false, refused: "import_lost" };
  const { sessionId } = arrival;
  for (const rows of chunked(runs)) {
    const refused = await addRuns(transaction, { sessionId, rows });
    if (refused !== null) return refused;
  }
  for (const rows of chunked(suspensions)) {
    const refused = await addSuspensions(transaction, { sessionId, rows });
    if (refused !== null) return refused;
  }
  for (const rows of chunked(messages)) {
    const refused = await addMessages(transaction, { sessionId, rows });
    if (refused !== null) return refused;
  }
  for (const rows of chunked(queued)) {
    const refused = await addQueued(transaction, { sessionId, rows });
    if (refused !== null) return refused;
  }
  return { ok: true };
}

interface Rows<Row> {
  readonly sessionId: Arrival["sessionId"];
  readonly rows: readonly Row[];
}

async function addRuns(
  { db }: Transaction,
  { sessionId, rows }: Rows<ArrivingRun>,
): Promise<Refused | null> {
  const added = await db
    .insertInto("Run")
    .values(
      rows.map((run) => ({
        ...run,
        sessionId,
        handed: toFlag(run.handed),
        error: toJson(run.error),
        usage: toJson(run.usage),
        memory: toJson(run.memory),
        // They are told, and shown to nobody here: who has the bundle knows the session.
        unusedAnswers: run.unusedAnswers.length === 0 ? null : JSON.stringify(run.unusedAnswers),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .execute();
  const id = leftOut(rows, added);
  if (id === null) return null;
  const owner = await db.selectFrom("Run").select("sessionId").where("id", "=", id).execute();
  return takenOrRepeated({ sessionId, id, owners: owner });
}

export async function addSuspensions(
  { db }: Transaction,
  { sessionId, rows }: Rows<ArrivingSuspension>,
): Promise<Refused | null> {
  const runIds = [...new Set(rows.map(({ runId }) => runId))];
  const runs = await db
    .selectFrom("Run")
    .select("id")
    .where("id", "in", runIds)
    .where("sessionId", "=", sessionId)
    .execute();
  const known = new Set(runs.map(({ id }) => id));
  const stray = rows.find(({ runId }) => !known.has(runId));
  if (stray !== undefined) return { ok: false, refused: "no_run", suspensionId: stray.id };
  const added = await db
    .insertInto("Suspension")
    .values(
      rows.map((suspension) => ({
        ...suspension,
        sessionId,
        request: JSON.stringify(suspension.request),
        answer: toJson(suspension.answer),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .execute();
  const id = leftOut(rows, added);
  if (id === null) return null;
  const owners = await db
    .selectFrom("Suspension")
    .select("sessionId")
    .where("id", "=", id)
    .execute();
  return takenOrRepeated({ sessionId, id, owners });
}

async function addMessages(
  transaction: Transaction,
  { sessionId, rows }: Rows<ArrivingMessage>,
): Promise<Refused | null> {
  const { db } = transaction;
  const ids = rows.map(({ id }) => id);
  // A run that went back into the queue has its message in both; no other session's may be.
  const waiting = await db
    .selectFrom("QueuedMessage")
    .select("messageId")
    .where("messageId", "in", ids)
    .where("sessionId", "<>", sessionId)
    .execute();
  if (waiting.length > 0) return { ok: false, refused: "ids_taken" };
  const added = await db
    .insertInto("AgentMessage")
    .values(
      rows.map(({ id, runId, seq, role, content, at }) => ({
        id,
        sessionId,
        runId,
        seq,
        role,
        content: contentText(content, true),
        complete: 1,
        timestamp: at,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .execute();
  const id = leftOut(rows, added);
  if (id !== null) return takenOrRepeated({ sessionId, id, owners: await ownersOf(db, id) });
  await db
    .insertInto("SessionEvent")
    .values(
      rows.map(({ id: messageId, seq, at }) => ({
        sessionId,
        seq,
        at,
        kind: "message",
        messageId,
        data: null,
      })),
    )
    .execute();
  await indexMessages(transaction, { sessionId, messages: rows });
  return null;
}

async function addQueued(
  { db }: Transaction,
  { sessionId, rows }: Rows<ArrivingQueued>,
): Promise<Refused | null> {
  const ids = rows.map(({ messageId }) => messageId);
  const said = await db
    .selectFrom("AgentMessage")
    .select("id")
    .where("id", "in", ids)
    .where("sessionId", "<>", sessionId)
    .execute();
  if (said.length > 0) return { ok: false, refused: "ids_taken" };
  const added = await db
    .insertInto("QueuedMessage")
    .values(
      rows.map((message) => ({
        ...message,
        sessionId,
        content: contentText(message.content, true),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning("messageId as id")
    .execute();
  const id = leftOut(
    ids.map((messageId) => ({ id: messageId })),
    added,
  );
  if (id === null) return null;
  const owners = await db
    .selectFrom("QueuedMessage")
    .select("sessionId")
    .where("messageId", "=", id)
    .execute();
  return takenOrRepeated({ sessionId, id, owners });
}

function ownersOf(db: Transaction["db"], messageId: string) {
  return db.selectFrom("AgentMessage").select("sessionId").where("id", "=", messageId).execute();
}

interface Identified {
  readonly id: string;
}

/** The id of a row that was not stored because the id is in use. */
function leftOut(rows: readonly Identified[], added: readonly Identified[]): string | null {
  if (added.length === rows.length) return null;
  const stored = new Set(added.map(({ id }) => id));
  for (const { id } of rows) if (!stored.delete(id)) return id;
  throw new Error("unreachable: fewer rows were stored, and none is missing");
}

function takenOrRepeated({
  sessionId,
  id,
  owners,
}: {
  readonly sessionId: string;
  readonly id: string;
  readonly owners: readonly { readonly sessionId: string }[];
}): Refused {
  const isOwn = owners.some((owner) => owner.sessionId === sessionId);
  return isOwn ? { ok: false, refused: "repeated", id } : { ok: false, refused: "ids_taken" };
}

function toJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

function chunked<Item>(items: readonly Item[]): readonly Item[][] {
  return Array.from({ length: Math.ceil(items.length / ROWS_PER_STATEMENT) }, (_, index) =>
    items.slice(index * ROWS_PER_STATEMENT, (index + 1) * ROWS_PER_STATEMENT),
  );
}
