import { defined } from "../defined.ts";
import type { QueueEntry } from "../delivery.ts";
import type { EventOf, SessionEvent } from "./event.ts";
import type { CurrentRun, RunStart } from "../run.ts";
import { currentRunOf, openSuspensionsOf, type Session } from "../session.ts";

/** Starts the run of a queue entry. The event removes the entry from the queue. */
export function startOf(
  entry: QueueEntry,
  { at, start }: { at: number; start: RunStart },
): EventOf<"run.started"> {
  const { runId: id, messageId, continuity, settings } = entry;
  const { provider, model, handed } = start;
  const attempts = entry.attempts + (handed ? 1 : 0);
  return {
    type: "run.started",
    at,
    run: { id, messageId, provider, model, continuity, ...defined({ settings }), handed, attempts },
  };
}

/** Returns the run to the head of the queue: an agent that was recorded as having it did not get it. */
export function requeueOf(run: CurrentRun, at: number): EventOf<"run.requeued"> {
  const { id: runId, messageId, provider, model, continuity, settings, handed } = run;
  const attempts = run.attempts - (handed ? 1 : 0);
  const chosen = { provider, model, continuity, ...defined({ settings }) };
  const entry = { messageId, runId, ...chosen, attempts };
  return { type: "run.requeued", at, entry };
}

/** Cuts off a run. An agent that got the message may have acted on it, so the run is not repeated. */
export function cutRun(run: CurrentRun, at: number, reason: string): SessionEvent {
  if (!run.handed) return requeueOf(run, at);
  const result = { outcome: "interrupted", reason } as const;
  return { type: "run.ended", at, runId: run.id, result, usage: null };
}

export function cancelCurrentRun(session: Session, at: number, reason: string): SessionEvent[] {
  return endCurrentRun(session, { at, result: { outcome: "cancelled", reason }, usage: null });
}

/** Ends the run and releases its suspensions. Returns no events if the session is idle. */
export function endCurrentRun(
  session: Session,
  end: Omit<EventOf<"run.ended">, "type" | "runId">,
): SessionEvent[] {
  const run = currentRunOf(session);
  if (run === null) return [];
  const released = openSuspensionsOf(session).map((suspension): SessionEvent => ({
    type: "suspension.closed",
    at: end.at,
    suspensionId: suspension.id,
    closing: { how: "released" },
  }));
  const dropped = dropSteering(session, end.at);
  return [...dropped, { type: "run.ended", runId: run.id, ...end }, ...released];
}

/**
 * Settles the steered messages of a run that ends or has lost its agent. One that was being given is not given again, since
 * the agent may have got it.
 */
export function dropSteering(session: Session, at: number): SessionEvent[] {
  const run = currentRunOf(session);
  if (run === null) return [];
  return session.queue.flatMap(({ messageId, steer }): SessionEvent[] => {
    if (steer === undefined) return [];
    const outcome = steer === "given" ? "unknown" : "queued";
    return [{ type: "message.steered", at, messageId, runId: run.id, outcome }];
  });
}
