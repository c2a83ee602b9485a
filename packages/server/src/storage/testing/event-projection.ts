import { defined } from "../../domain/defined.ts";
import { NEW_RUN_FILES } from "../../domain/files/working-files.ts";
import type { SessionEvent } from "../../domain/kernel/event.ts";
import type { RunResult } from "../../domain/run.ts";
import type { Run, StoredSuspension } from "../ports/run-store.ts";

/** The expected rows of the other tables after these events, computed a second time with plain maps. */
export function projectionOf(
  sessionId: string,
  events: readonly SessionEvent[],
): { readonly runs: readonly Run[]; readonly suspensions: readonly StoredSuspension[] } {
  const runs = new Map<string, Run>();
  const suspensions = new Map<string, StoredSuspension>();
  const change = (runId: string, columns: Partial<Run>): void => {
    const run = runs.get(runId);
    if (run === undefined) throw new Error(`${runId} changed before it was there`);
    if (run.endedAt !== null) throw new Error(`${runId} changed after its end`);
    runs.set(runId, { ...run, ...columns });
  };
  const project = (event: SessionEvent): void => {
    switch (event.type) {
      case "message.queued": {
        const { messageId, runId, provider, model, settings } = event.entry;
        runs.set(runId, {
          ...NEW_RUN,
          id: runId,
          sessionId,
          messageId,
          provider,
          model,
          ...(settings !== undefined && { settings }),
          queuedAt: event.at,
        });
        return;
      }
      case "message.steered": {
        const own = [...runs.values()].find(({ messageId }) => messageId === event.messageId);
        const hasLeft = event.outcome === "injected" || event.outcome === "unknown";
        if (hasLeft && own !== undefined) runs.delete(own.id);
        return;
      }
      case "message.withdrawn":
        return change(event.runId, ended(event.at, "withdrawn from the queue"));
      case "message.undelivered":
        return change(event.runId, ended(event.at, "the session ended before it was delivered"));
      case "run.started": {
        const { id, provider, model, attempts, handed } = event.run;
        const started = { provider, model, attempts, startedAt: event.at };
        const memory = handed ? ({ memory: { how: "live" } } as const) : {};
        return change(id, { status: "running", ...started, ...memory });
      }
      case "run.handed":
        return change(event.runId, {
          attempts: (runs.get(event.runId)?.attempts ?? 0) + 1,
          ...(event.memory !== undefined && { memory: event.memory }),
        });
      case "run.retried":
        return change(event.runId, { error: { ...event.error } });
      case "run.requeued":
        return change(event.entry.runId, {
          status: "queued",
          startedAt: null,
          attempts: event.entry.attempts,
          memory: null,
        });
      case "run.suspended":
        suspensions.set(event.suspension.id, {
          ...OPEN,
          ...event.suspension,
          sessionId,
          runId: event.runId,
        });
        return change(event.runId, { status: "suspended" });
      case "suspension.closed": {
        const open = suspensions.get(event.suspensionId);
        if (open?.status !== "open")
          throw new Error(`${event.suspensionId} closed without being open`);
        const { closing } = event;
        const answered =
          closing.how === "answered" ? { answer: closing.answer, answeredBy: closing.by } : {};
        suspensions.set(open.id, { ...open, status: closing.how, closedAt: event.at, ...answered });
        return;
      }
      case "run.resumed":
        return change(event.runId, { status: "running" });
      case "run.ended":
        return change(event.runId, {
          status: event.result.outcome,
          usage: event.usage,
          endedAt: event.at,
          error: null,
          ...resultColumns(event.result),
          unusedAnswers: event.unusedAnswers ?? [],
        });
      case "files.recorded": {
        const { runId, before, after, changes } = event.record;
        const run = runs.get(runId);
        if (run === undefined) return;
        const files = { filesBefore: before, filesAfter: after, changes };
        runs.set(runId, { ...run, ...defined(files) });
        return;
      }
      case "session.rewound": {
        const { runIds, undoes } = event.rewind;
        for (const runId of runIds) {
          const run = runs.get(runId);
          const rewoundAt = undoes === null ? event.at : null;
          if (run !== undefined) runs.set(runId, { ...run, rewoundAt });
        }
        return;
      }
      default:
        return;
    }
  };
  events.forEach(project);
  return { runs: [...runs.values()], suspensions: [...suspensions.values()] };
}

const NEW_RUN = {
  status: "queued",
  attempts: 0,
  stopReason: null,
  error: null,
  usage: null,
  memory: null,
  unusedAnswers: [],
  ...NEW_RUN_FILES,
  startedAt: null,
  endedAt: null,
} as const;

const OPEN = { status: "open", answer: null, answeredBy: null, closedAt: null } as const;

function ended(at: number, stopReason: string): Partial<Run> {
  return { status: "cancelled", stopReason, endedAt: at };
}

function resultColumns(result: RunResult): Partial<Run> {
  switch (result.outcome) {
    case "completed":
      return { stopReason: result.stopReason };
    case "failed":
      return { error: { ...result.error } };
    case "cancelled":
    case "interrupted":
      return { stopReason: result.reason };
    default:
      return result satisfies never;
  }
}
