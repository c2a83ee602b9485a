import type { EventOf } from "../../domain/kernel/event.ts";
import type { RunMemory, RunResult } from "../../domain/run.ts";
import { toSettingsColumn } from "../rows/run-row.ts";
import { toFlag } from "../rows/parse.ts";
import type { FilesRecord } from "../../domain/files/working-files.ts";
import { preparedWrite } from "../prepared.ts";
import type { RunRow } from "../tables.ts";
import type { Transaction } from "./transaction.ts";

export async function addQueuedRun(
  transaction: Transaction,
  sessionId: string,
  { entry, at }: EventOf<"message.queued">,
): Promise<void> {
  const { runId: id, messageId, provider, model, continuity } = entry;
  const settings = toSettingsColumn(entry.settings);
  const chosen = { id, sessionId, messageId, provider, model, settings, continuity };
  const work = { status: "queued", handed: 0, attempts: 0, memory: null };
  await insertRun(transaction, { ...chosen, ...work, queuedAt: at, startedAt: null });
}

export async function startRun(
  { db }: Transaction,
  { at, run }: EventOf<"run.started">,
): Promise<void> {
  await db
    .updateTable("Run")
    .set({
      status: "running",
      provider: run.provider,
      model: run.model,
      handed: toFlag(run.handed),
      attempts: run.attempts,
      startedAt: at,
      ...(run.handed && { memory: MEMORY_OF_LIVE }),
    })
    .where("id", "=", run.id)
    .execute();
}

/** The common case in one statement: a message that starts its run at once is never queued. */
export async function addStartedRun(
  transaction: Transaction,
  sessionId: string,
  { run, at }: EventOf<"run.started">,
): Promise<void> {
  const handed = toFlag(run.handed);
  const memory = run.handed ? MEMORY_OF_LIVE : null;
  const settings = toSettingsColumn(run.settings);
  const started = { status: "running", settings, handed, memory, queuedAt: at, startedAt: at };
  await insertRun(transaction, { ...run, sessionId, ...started });
}

/** A run that starts handed goes to a live agent. */
const MEMORY_OF_LIVE = JSON.stringify({ how: "live" } satisfies RunMemory);

type NewRun = Omit<
  RunRow,
  | "stopReason"
  | "error"
  | "usage"
  | "unusedAnswers"
  | "unusedShown"
  | "filesBefore"
  | "filesAfter"
  | "changes"
  | "rewoundAt"
  | "endedAt"
>;

const insertRun = preparedWrite(({ db }, run: NewRun) => db.insertInto("Run").values(run));

export async function updateRun(
  { db }: Transaction,
  runId: string,
  columns: Partial<RunRow>,
): Promise<void> {
  await db.updateTable("Run").set(columns).where("id", "=", runId).execute();
}

export async function countAttempt(
  transaction: Transaction,
  { runId, memory }: EventOf<"run.handed">,
): Promise<void> {
  if (memory === undefined) await countHanded(transaction, { runId });
  else await rememberHanded(transaction, { runId, memory: JSON.stringify(memory) });
}

const countHanded = preparedWrite(({ db }, { runId }: { runId: string }) =>
  db
    .updateTable("Run")
    .set(({ eb }) => ({ handed: 1, attempts: eb("attempts", "+", 1) }))
    .where("id", "=", runId),
);

const rememberHanded = preparedWrite(
  ({ db }, { runId, memory }: { runId: string; memory: string }) =>
    db
      .updateTable("Run")
      .set(({ eb }) => ({ handed: 1, attempts: eb("attempts", "+", 1), memory }))
      .where("id", "=", runId),
);

/** The run may not exist any more, such as one that was steered into another. */
export function filesColumns({ before, after, changes }: FilesRecord): Partial<RunRow> {
  return {
    ...(before !== undefined && { filesBefore: JSON.stringify(before) }),
    ...(after !== undefined && { filesAfter: JSON.stringify(after) }),
    ...(changes !== undefined && { changes: JSON.stringify(changes) }),
  };
}

/** Takes runs back, or undoes that. */
export async function rewindRuns(
  { db }: Transaction,
  sessionId: string,
  { at, rewind: { runIds, undoes } }: EventOf<"session.rewound">,
): Promise<void> {
  for (const ids of chunked(runIds))
    await db
      .updateTable("Run")
      .set({ rewoundAt: undoes === null ? at : null })
      .where("sessionId", "=", sessionId)
      .where("id", "in", ids)
      .execute();
}

/** Databases limit the number of parameters. */
function chunked(ids: readonly string[]): readonly (readonly string[])[] {
  const size = 500;
  const count = Math.ceil(ids.length / size);
  return Array.from({ length: count }, (_, at) => ids.slice(at * size, (at + 1) * size));
}

export async function endRun(
  transaction: Transaction,
  { at, runId: id, result, usage, unusedAnswers = [] }: EventOf<"run.ended">,
): Promise<void> {
  await storeEnd(transaction, {
    id,
    status: result.outcome,
    stopReason: stopReasonOf(result),
    // A failure that was retried is not the reason for the end.
    error: result.outcome === "failed" ? JSON.stringify(result.error) : null,
    usage: usage === null ? null : JSON.stringify(usage),
    endedAt: at,
  });
  if (unusedAnswers.length === 0) return;
  const shown = { unusedAnswers: JSON.stringify(unusedAnswers), unusedShown: 1 };
  await updateRun(transaction, id, shown);
}

type RunEnd = Pick<RunRow, "id" | "status" | "stopReason" | "error" | "usage" | "endedAt">;

const storeEnd = preparedWrite(({ db }, { id, ...columns }: RunEnd) =>
  db.updateTable("Run").set(columns).where("id", "=", id),
);

/** Hides the answers; they stay in the run. False when there are none, or they were dismissed before. */
export async function dismissUnused(
  { db }: Transaction,
  { sessionId, runId }: { readonly sessionId: string; readonly runId: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("Run")
    .set({ unusedShown: null })
    .where("id", "=", runId)
    .where("sessionId", "=", sessionId)
    .where("unusedShown", "=", 1)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function stopReasonOf(result: RunResult): string | null {
  switch (result.outcome) {
    case "completed":
      return result.stopReason;
    case "cancelled":
    case "interrupted":
      return result.reason;
    case "failed":
      return null;
    default:
      return result satisfies never;
  }
}

export async function addSuspension(
  { db }: Transaction,
  sessionId: string,
  { suspension, runId }: EventOf<"run.suspended">,
): Promise<void> {
  const request = JSON.stringify(suspension.request);
  await db
    .insertInto("Suspension")
    .values({ ...suspension, sessionId, runId, request, status: "open" })
    .execute();
}

export async function closeSuspension(
  { db }: Transaction,
  event: EventOf<"suspension.closed">,
): Promise<void> {
  const { closing } = event;
  await db
    .updateTable("Suspension")
    .set({
      status: closing.how,
      closedAt: event.at,
      ...(closing.how === "answered" && {
        answer: JSON.stringify(closing.answer),
        answeredBy: closing.by,
      }),
    })
    .where("id", "=", event.suspensionId)
    .execute();
}
