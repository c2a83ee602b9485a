import type { QueueEntry } from "../delivery.ts";
import type { EventOf, SessionEvent } from "./event.ts";
import type { CurrentRun, RunStart } from "../run.ts";
import { currentRunOf, openSuspensionsOf, type Session } from "../session.ts";

/** The run of a queue entry begins; the entry leaves the queue with this event. */
export function startOf(
  entry: QueueEntry,
  { at, start }: { at: number; start: RunStart },
): EventOf<"run.started"> {
  return {
    type: "run.started",
    at,
    run: {
      id: entry.runId,
      messageId: entry.messageId,
      provider: start.provider,
      model: start.model,
      continuity: entry.continuity,
      handed: start.handed,
      attempts: entry.attempts + (start.handed ? 1 : 0),
    },
  };
}

/** The run goes back to the head of the queue; what was stored as given to an agent has not been. */
export function requeueOf(run: CurrentRun, at: number): EventOf<"run.requeued"> {
  const { id: runId, messageId, provider, model, continuity, handed } = run;
  const attempts = run.attempts - (handed ? 1 : 0);
  const entry = { messageId, runId, provider, model, continuity, attempts };
  return { type: "run.requeued", at, entry };
}

/** Nothing when the session is idle; otherwise the run ends and what it waited for is let go. */
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
  return [{ type: "run.ended", runId: run.id, ...end }, ...released];
}
