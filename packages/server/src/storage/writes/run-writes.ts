import type { EventOf } from "../../domain/event.ts";
import type { RunResult } from "../../domain/run.ts";
import { toFlag } from "../parse.ts";
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
    })
    .where("id", "=", run.id)
    .execute();
}

/** The common case in one statement: a message that starts its run at once was never queued. */
export async function addStartedRun(
  { db }: Transaction,
  { sessionId, event }: { sessionId: string; event: EventOf<"run.started"> },
): Promise<void> {
  const { run, at } = event;
  await db
    .insertInto("Run")
    .values({
      id: run.id,
      sessionId,
      messageId: run.messageId,
      status: "running",
      provider: run.provider,
      model: run.model,
      continuity: run.continuity,
      handed: toFlag(run.handed),
      attempts: run.attempts,
      queuedAt: at,
      startedAt: at,
    })
    .execute();
}

export async function updateRun(
  { db }: Transaction,
  { runId, columns }: { runId: string; columns: Partial<RunRow> },
): Promise<void> {
  await db.updateTable("Run").set(columns).where("id", "=", runId).execute();
}

export async function countAttempt(
  { db }: Transaction,
  { runId, memory }: EventOf<"run.handed">,
): Promise<void> {
  await db
    .updateTable("Run")
    .set(({ eb }) => ({
      handed: 1,
      attempts: eb("attempts", "+", 1),
      ...(memory !== undefined && { memory: JSON.stringify(memory) }),
    }))
    .where("id", "=", runId)
    .execute();
}

export function endColumns({ at, result, usage }: EventOf<"run.ended">): Partial<RunRow> {
  return {
    status: result.outcome,
    stopReason: stopReasonOf(result),
    ...(result.outcome === "failed" && { error: JSON.stringify(result.error) }),
    usage: usage === null ? null : JSON.stringify(usage),
    endedAt: at,
  };
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
