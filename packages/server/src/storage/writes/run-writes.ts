import type { EventOf } from "../../domain/kernel/event.ts";
import type { RunMemory, RunResult } from "../../domain/run.ts";
import { toFlag } from "../rows/parse.ts";
import { prepared } from "../prepared.ts";
import type { RunRow } from "../tables.ts";
import type { Transaction } from "./transaction.ts";

export async function addQueuedRun(
  { db }: Transaction,
  { sessionId, event }: { sessionId: string; event: EventOf<"message.queued"> },
): Promise<void> {
  const { runId, messageId, provider, model, continuity } = event.entry;
  await db
    .insertInto("Run")
    .values({
      id: runId,
      sessionId,
      messageId,
      status: "queued",
      provider,
      model,
      continuity,
      handed: 0,
      attempts: 0,
      queuedAt: event.at,
    })
    .execute();
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

/** The common case in one statement: a message that starts its run at once was never queued. */
export async function addStartedRun(
  transaction: Transaction,
  { sessionId, event }: { sessionId: string; event: EventOf<"run.started"> },
): Promise<void> {
  const { run, at } = event;
  await insertStarted(transaction, {
    id: run.id,
    sessionId,
    messageId: run.messageId,
    provider: run.provider,
    model: run.model,
    continuity: run.continuity,
    handed: toFlag(run.handed),
    attempts: run.attempts,
    memory: run.handed ? MEMORY_OF_LIVE : null,
    queuedAt: at,
    startedAt: at,
  });
}

/** A run that starts handed is given to an agent that was there. */
const MEMORY_OF_LIVE = JSON.stringify({ how: "live" } satisfies RunMemory);

type StartedColumns = Pick<
  RunRow,
  "id" | "sessionId" | "messageId" | "provider" | "model" | "continuity" | "handed"
> &
  Pick<RunRow, "attempts" | "memory" | "queuedAt" | "startedAt">;

const insertStarted = prepared(({ db }, run: StartedColumns) =>
  db.insertInto("Run").values({ ...run, status: "running" }),
);

export async function updateRun(
  { db }: Transaction,
  { runId, columns }: { runId: string; columns: Partial<RunRow> },
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

const countHanded = prepared(({ db }, { runId }: { runId: string }) =>
  db
    .updateTable("Run")
    .set(({ eb }) => ({ handed: 1, attempts: eb("attempts", "+", 1) }))
    .where("id", "=", runId),
);

const rememberHanded = prepared(({ db }, { runId, memory }: { runId: string; memory: string }) =>
  db
    .updateTable("Run")
    .set(({ eb }) => ({ handed: 1, attempts: eb("attempts", "+", 1), memory }))
    .where("id", "=", runId),
);

export function endColumns({
  at,
  result,
  usage,
  unusedAnswers = [],
}: EventOf<"run.ended">): Partial<RunRow> {
  return {
    status: result.outcome,
    stopReason: stopReasonOf(result),
    // A failure that was tried again is not why the run ended.
    error: result.outcome === "failed" ? JSON.stringify(result.error) : null,
    usage: usage === null ? null : JSON.stringify(usage),
    endedAt: at,
    ...(unusedAnswers.length > 0 && {
      unusedAnswers: JSON.stringify(unusedAnswers),
      unusedShown: 1,
    }),
  };
}

/** The answers stay with the run, and are shown to nobody any more. False when there are none, or they were dismissed before. */
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
  { sessionId, event }: { sessionId: string; event: EventOf<"run.suspended"> },
): Promise<void> {
  const { suspension, runId } = event;
  await db
    .insertInto("Suspension")
    .values({
      id: suspension.id,
      sessionId,
      runId,
      kind: suspension.kind,
      request: JSON.stringify(suspension.request),
      fingerprint: suspension.fingerprint,
      status: "open",
      createdAt: suspension.createdAt,
      expiresAt: suspension.expiresAt,
    })
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
