import { applySuspension, HoldfastError, isObject } from "@holdfast/client";
import type { Message, OpenSuspension, RunStatus, WholeRun } from "@holdfast/protocol";
import type { Caller } from "./caller.ts";
import type { RunName } from "./surface.ts";

/** A run, and what its session waits for. */
export interface ObservedRun {
  readonly run: WholeRun;
  /** Of this run; empty unless it is suspended. */
  readonly open: readonly OpenSuspension[];
  /** Where the events of the session go on. */
  readonly position: string;
}

export async function readRun(
  { ask }: Pick<Caller, "ask">,
  { sessionId, runId }: RunName,
  signal: AbortSignal,
): Promise<ObservedRun> {
  // In this order: what happens in between is in the events after the position.
  const session = await ask(({ sessions }) => sessions.get(sessionId, { tail: 1, signal }), signal);
  const run = await ask(({ sessions }) => sessions.run(sessionId, runId, { signal }), signal);
  const open = run.status === "suspended" ? session.suspensions : [];
  return { run, open, position: session.lastEventId };
}

export interface Observe {
  /** Ends the observation without an end of the run. */
  readonly signal: AbortSignal;
  /** Whether what the run waits for ends the observation, too. */
  readonly isEnough: (open: readonly OpenSuspension[]) => boolean;
  /** Called for the last tool call, and for each change of a tool call from then on. */
  readonly onStep: (step: string) => void;
}

/** Follows the run until it has ended, or is `isEnough`, or the signal aborts. Never throws because of the signal. */
export async function observeRun(
  caller: Caller,
  name: RunName,
  { signal, isEnough, onStep }: Observe,
): Promise<void> {
  const first = await readRun(caller, name, signal);
  if (isEnded(first.run.status) || isEnough(first.open)) return;
  if (first.run.step !== null) onStep(first.run.step);
  let open: readonly OpenSuspension[] = first.open;
  const after = first.position;
  const events = caller.client.sessions.events(name.sessionId, { signal, after });
  for await (const event of events) {
    if (event.type === "run" && event.data.id === name.runId && isEnded(event.data.status)) return;
    if (event.type === "suspension" && event.data.runId === name.runId) {
      open = applySuspension(open, event.data);
      if (isEnough(open)) return;
    }
    const step = event.type === "message" ? stepOf(event.data, name.runId) : null;
    if (step !== null) onStep(step);
  }
}

const ENDS: ReadonlySet<RunStatus> = new Set(["completed", "failed", "cancelled", "interrupted"]);

export function isEnded(status: RunStatus): boolean {
  return ENDS.has(status);
}

/**
 * Cancels the run, wherever it is: at work, waiting or in the queue. Does nothing if it has ended. Another run of the session
 * is never cancelled.
 */
export async function cancelRun(
  caller: Caller,
  { sessionId, runId }: RunName,
  { reason, signal }: { readonly reason: string; readonly signal: AbortSignal },
): Promise<void> {
  // It may leave the queue or end between two requests, each once.
  for (let attempts = 0; attempts < 3; attempts++) {
    const run = await caller.ask(
      ({ sessions }) => sessions.run(sessionId, runId, { signal }),
      signal,
    );
    if (isEnded(run.status)) return;
    const idempotencyKey = caller.newKey();
    const isDone = await unlessMoved(
      caller.ask(
        ({ sessions }): Promise<unknown> =>
          run.status === "queued"
            ? sessions.withdrawQueued(sessionId, run.messageId, { signal })
            : sessions.cancel(sessionId, { runId, reason }, { signal, idempotencyKey }),
        signal,
      ),
    );
    if (isDone) return;
  }
}

const MOVED: ReadonlySet<string> = new Set(["message_not_queued", "run_not_current"]);

async function unlessMoved(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (error instanceof HoldfastError && MOVED.has(error.code)) return false;
    throw error;
  }
}

/** Why the run did not complete, as a sentence. */
export function failureOf({ status, error, stopReason }: WholeRun): string {
  const message = isObject(error) ? error["message"] : null;
  if (typeof message === "string") return message;
  return status === "interrupted"
    ? "The run was interrupted. The agent's work may be incomplete. It was not repeated."
    : `The run was ${status}${stopReason === null ? "" : `: ${stopReason}`}.`;
}

function stepOf({ content, runId }: Message, observed: string): string | null {
  if (content.type !== "tool" || runId !== observed) return null;
  const { title, tool }: Readonly<Record<string, unknown>> = content;
  return typeof title === "string" ? title : typeof tool === "string" ? tool : null;
}
