import type { Command, Create, Send, Update } from "../kernel/command.ts";
import type { SteerOutcome } from "../delivery.ts";
import type { Json } from "../json.ts";
import type { Outcome } from "../phase.ts";
import type { RunError, RunResult, RunStart } from "../run.ts";
import type { Worktree } from "../files/session-folder.ts";
import type { FilesRecord, RewindRequest } from "../files/working-files.ts";
import type { Suspension } from "../suspension.ts";

/** Commands with default values. Their time is NOON. */
export const NOON = Date.UTC(2026, 0, 8, 12);
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const START: RunStart = { provider: "demo", model: null, handed: false };
export const HANDED: RunStart = { ...START, handed: true };
export const COMPLETED: RunResult = { outcome: "completed", stopReason: "end_turn" };
export const CRASH: RunError = {
  code: "agent_exited",
  message: "the agent exited with code 1",
  detail: "Segmentation fault",
};
export const FAILED: RunResult = { outcome: "failed", error: CRASH };

type Of<Type extends Command["type"]> = Extract<Command, { type: Type }>;

export function at<C extends Command>(time: number, command: C): C {
  return { ...command, at: time };
}

export function create(more: Partial<Create> = {}): Create {
  return {
    type: "create",
    at: NOON,
    id: "session-1",
    repoId: "repo-1",
    title: null,
    provider: null,
    model: null,
    agentName: null,
    purpose: null,
    agentId: null,
    metadata: {},
    forkedFrom: null,
    ...more,
  };
}

/** Message `m<n>` with run `r<n>`. Without `start` no slot for an agent is free. */
export function send(n: number, more: Partial<Send> = {}): Send {
  return {
    type: "send",
    at: NOON,
    messageId: `m${n}`,
    runId: `r${n}`,
    provider: null,
    model: null,
    continuity: "auto",
    delivery: "queue",
    maxQueued: 100,
    start: null,
    ...more,
  };
}

export function startRun(n: number, start: RunStart = START): Of<"start-run"> {
  return { type: "start-run", at: NOON, runId: `r${n}`, start };
}

export function handRun(n: number): Of<"hand-run"> {
  return { type: "hand-run", at: NOON, runId: `r${n}` };
}

export function retryRun(n: number): Of<"retry-run"> {
  return { type: "retry-run", at: NOON, runId: `r${n}`, error: CRASH };
}

export function requeueRun(n: number): Of<"requeue-run"> {
  return { type: "requeue-run", at: NOON, runId: `r${n}` };
}

/** Steers the run `r<n>` with the message `m<m>`. */
export function steerRun(n: number, m: number, outcome: SteerOutcome): Of<"steer-run"> {
  return { type: "steer-run", at: NOON, runId: `r${n}`, messageId: `m${m}`, outcome };
}

export function dropSteering(n: number): Of<"drop-steering"> {
  return { type: "drop-steering", at: NOON, runId: `r${n}` };
}

export function suspension(id: string, more: Partial<Suspension> = {}): Suspension {
  return {
    id,
    kind: "permission",
    request: { tool: "write", path: "a.txt" },
    fingerprint: "write:a.txt",
    createdAt: NOON,
    expiresAt: null,
    ...more,
  };
}

export function suspendRun(
  n: number,
  id: string,
  more: Partial<Suspension> = {},
): Of<"suspend-run"> {
  return { type: "suspend-run", at: NOON, runId: `r${n}`, suspension: suspension(id, more) };
}

export function answer(suspensionId: string, value: Json = { option: "allow" }): Of<"answer"> {
  return { type: "answer", at: NOON, suspensionId, answer: value, by: "ada" };
}

export function closeSuspension(
  suspensionId: string,
  how: "withdrawn" | "expired",
): Of<"close-suspension"> {
  return { type: "close-suspension", at: NOON, suspensionId, how };
}

export function endRun(n: number, result: RunResult = COMPLETED): Of<"end-run"> {
  return { type: "end-run", at: NOON, runId: `r${n}`, result, usage: { tokens: 7 } };
}

export function cancel(more: { readonly runId?: string } = {}): Of<"cancel"> {
  return { type: "cancel", at: NOON, reason: "asked by the user", ...more };
}

export function release(): Of<"release"> {
  return { type: "release", at: NOON, reason: "nobody will answer" };
}

export function update(more: Partial<Update> = {}): Update {
  return { type: "update", at: NOON, changes: {}, ...more };
}

export function recordResume(
  supportsResume: boolean,
  resumeData: Json,
  provider = "demo",
): Of<"record-resume"> {
  return { type: "record-resume", at: NOON, provider, supportsResume, resumeData };
}

export function keepSettings(more: Partial<Of<"keep-settings">> = {}): Of<"keep-settings"> {
  return { type: "keep-settings", at: NOON, provider: "demo", by: "agent", ...more };
}

export function suggestTitle(title: string, provider = "demo"): Of<"suggest-title"> {
  return { type: "suggest-title", at: NOON, provider, title };
}

export function recordFiles(record: Partial<FilesRecord> = {}): Of<"record-files"> {
  return { type: "record-files", at: NOON, record: { runId: "r0", ...record } };
}

export function recordWorktree(worktree: Worktree | null): Of<"record-worktree"> {
  return { type: "record-worktree", at: NOON, worktree };
}

export function rewind(more: Partial<RewindRequest> = {}): Of<"rewind"> {
  const plain = { id: "w0", runId: "r0", runIds: ["r0"], files: null, undoes: null };
  return { type: "rewind", at: NOON, rewind: { ...plain, ...more } };
}

export function endRewind(id = "w0", error: string | null = null): Of<"end-rewind"> {
  return { type: "end-rewind", at: NOON, id, error };
}

export function suspend(cause: "shutdown" | "crash"): Of<"suspend"> {
  return { type: "suspend", at: NOON, cause };
}

export function comeBack(obstacle: string | null = null): Of<"come-back"> {
  return { type: "come-back", at: NOON, obstacle };
}

export function resume(): Of<"resume"> {
  return { type: "resume", at: NOON };
}

export function archive(): Of<"archive"> {
  return { type: "archive", at: NOON };
}

export function fail(): Of<"fail"> {
  return { type: "fail", at: NOON, reason: "its data is unusable" };
}

export function finalize(outcome: Outcome, summary: string | null = null): Of<"finalize"> {
  return { type: "finalize", at: NOON, outcome, summary };
}

export function remove(): Of<"delete"> {
  return { type: "delete", at: NOON };
}

export function editQueued(n: number): Of<"edit-queued"> {
  return { type: "edit-queued", at: NOON, messageId: `m${n}` };
}

export function moveQueued(n: number, position: number): Of<"move-queued"> {
  return { type: "move-queued", at: NOON, messageId: `m${n}`, position };
}

export function withdrawQueued(n: number): Of<"withdraw-queued"> {
  return { type: "withdraw-queued", at: NOON, messageId: `m${n}` };
}
