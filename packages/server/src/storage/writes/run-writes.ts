import type { EventOf } from "../../domain/kernel/event.ts";
import type { RunMemory, RunResult } from "../../domain/run.ts";
import { toSettingsColumn } from "../rows/run-row.ts";
import { toFlag } from "../rows/parse.ts";
import type { FilesRecord } from "../../domain/files/working-files.ts";
import { prepared, preparedWrite } from "../prepared.ts";
import type { RunRow } from "../tables.ts";
import type { EventLog } from "./event-log.ts";
import type { Transaction } from "./transaction.ts";

export async function addQueuedRun(
  transaction: Transaction,
  log: EventLog,
  { entry, at }: EventOf<"message.queued">,
): Promise<void> {
  const { runId: id, messageId, provider, model, continuity } = entry;
  const settings = toSettingsColumn(entry.settings);
  const { sessionId } = log;
  const chosen = { id, sessionId, messageId, provider, model, settings, continuity };
  const work = { status: "queued", handed: 0, attempts: 0, memory: null };
  await addRun(transaction, log, { ...chosen, ...work, queuedAt: at, startedAt: null });
}

export async function startRun(
  transaction: Transaction,
  log: EventLog,
  { at, run }: EventOf<"run.started">,
): Promise<void> {
  await updateRun(transaction, log, run.id, {
    status: "running",
    provider: run.provider,
    model: run.model,
    handed: toFlag(run.handed),
    attempts: run.attempts,
    startedAt: at,
    ...(run.handed && { memory: MEMORY_OF_LIVE }),
  });
}

/** The common case in one statement: a message that starts its run at once is never queued. */
export async function addStartedRun(
  transaction: Transaction,
  log: EventLog,
  { run, at }: EventOf<"run.started">,
): Promise<void> {
  const { sessionId } = log;
  const handed = toFlag(run.handed);
  const memory = run.handed ? MEMORY_OF_LIVE : null;
  const settings = toSettingsColumn(run.settings);
  const started = { status: "running", settings, handed, memory, queuedAt: at, startedAt: at };
  await addRun(transaction, log, { ...run, sessionId, ...started });
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

async function addRun(transaction: Transaction, log: EventLog, run: NewRun): Promise<void> {
  await insertRun(transaction, run);
  log.written.addRun(run.id, { ...NO_END, ...run });
}

const insertRun = preparedWrite(({ db }, run: NewRun) => db.insertInto("Run").values(run));

/** The columns of a run that has not ended. */
const NO_END: Omit<RunRow, keyof NewRun> = {
  stopReason: null,
  error: null,
  usage: null,
  unusedAnswers: null,
  unusedShown: null,
  filesBefore: null,
  filesAfter: null,
  changes: null,
  rewoundAt: null,
  endedAt: null,
};

export async function updateRun(
  { db }: Transaction,
  log: EventLog,
  runId: string,
  columns: Partial<RunRow>,
): Promise<void> {
  await db.updateTable("Run").set(columns).where("id", "=", runId).execute();
  log.written.addRun(runId, null);
}

export async function endRun(
  transaction: Transaction,
  log: EventLog,
  event: EventOf<"run.ended">,
): Promise<void> {
  const { runId, at, result, usage, unusedAnswers = [] } = event;
  if (unusedAnswers.length > 0)
    await updateRun(transaction, log, runId, {
      unusedAnswers: JSON.stringify(unusedAnswers),
      unusedShown: 1,
    });
  const [row] = await storeEnd(transaction, {
    runId,
    status: result.outcome,
    stopReason: stopReasonOf(result),
    // A failure that was retried is not the reason for the end.
    error: result.outcome === "failed" ? JSON.stringify(result.error) : null,
    usage: usage === null ? null : JSON.stringify(usage),
    endedAt: at,
  });
  log.written.addRun(runId, row ?? null);
}

type RunEnd = Pick<RunRow, "status" | "stopReason" | "error" | "usage" | "endedAt">;

const storeEnd = prepared(({ db }, { runId, ...columns }: RunEnd & { readonly runId: string }) =>
  db.updateTable("Run").set(columns).where("id", "=", runId).returningAll(),
);

export async function countAttempt(
  transaction: Transaction,
  log: EventLog,
  { runId, memory }: EventOf<"run.handed">,
): Promise<void> {
  const [row] =
    memory === undefined
      ? await countHanded(transaction, { runId })
      : await rememberHanded(transaction, { runId, memory: JSON.stringify(memory) });
  log.written.addRun(runId, row ?? null);
}

const countHanded = prepared(({ db }, { runId }: { runId: string }) =>
  db
    .updateTable("Run")
    .set(({ eb }) => ({ handed: 1, attempts: eb("attempts", "+", 1) }))
    .where("id", "=", runId)
    .returningAll(),
);

const rememberHanded = prepared(({ db }, { runId, memory }: { runId: string; memory: string }) =>
  db
    .updateTable("Run")
    .set(({ eb }) => ({ handed: 1, attempts: eb("attempts", "+", 1), memory }))
    .where("id", "=", runId)
    .returningAll(),
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
  log: EventLog,
  { at, rewind: { runIds, undoes } }: EventOf<"session.rewound">,
): Promise<void> {
  for (const ids of chunked(runIds))
    await db
      .updateTable("Run")
      .set({ rewoundAt: undoes === null ? at : null })
      .where("sessionId", "=", log.sessionId)
      .where("id", "in", ids)
      .execute();
  for (const runId of runIds) log.written.addRun(runId, null);
}

/** Databases limit the number of parameters. */
function chunked(ids: readonly string[]): readonly (readonly string[])[] {
  const size = 500;
  const count = Math.ceil(ids.length / size);
  return Array.from({ length: count }, (_, at) => ids.slice(at * size, (at + 1) * size));
}

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
