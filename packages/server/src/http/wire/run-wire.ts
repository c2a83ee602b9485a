import type * as wire from "@holdfast/protocol";
import type { History } from "../../runtime/requests/session-history.ts";
import type { PastRun, Run, RunPage, WholeRun } from "../../runtime/runtime.ts";
import { toCursor } from "./from-wire.ts";
import { toTime, toTimeOrNull } from "./to-time.ts";

export function toWireRun(stored: Run): wire.Run {
  const { filesBefore: _before, filesAfter: _after, ...run } = stored;
  return {
    ...run,
    // Absent in stored replies of earlier versions.
    unusedAnswers: [...(run.unusedAnswers ?? [])],
    changes: run.changes ?? null,
    rewoundAt: toTimeOrNull(run.rewoundAt ?? null),
    queuedAt: toTime(run.queuedAt),
    startedAt: toTimeOrNull(run.startedAt),
    endedAt: toTimeOrNull(run.endedAt),
  };
}

export function toWireRuns({ runs, next }: RunPage): wire.RunsReply {
  return {
    runs: runs.map((run) => ({ ...toWireRun(run), suspensions: toWireRunSuspensions(run) })),
    nextCursor: next === null ? null : toCursor(next.at, next.id),
  };
}

export function toWireWholeRun(run: WholeRun): wire.WholeRun {
  const { answer, answerCut, step } = run;
  return { ...toWireRun(run), suspensions: toWireRunSuspensions(run), answer, answerCut, step };
}

function toWireRunSuspensions({ suspensions }: PastRun): wire.RunSuspension[] {
  return suspensions.map(({ runId: _, createdAt, closedAt, ...suspension }) => ({
    ...suspension,
    createdAt: toTime(createdAt),
    closedAt: toTimeOrNull(closedAt),
  }));
}

export function toWireHistory({ messages, leftOut }: History): wire.History {
  return {
    messages: messages.map(({ at, ...entry }) => ({ ...entry, timestamp: toTime(at) })),
    leftOut,
  };
}
