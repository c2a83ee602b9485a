import { openSuspensionsOf } from "../../domain/session.ts";
import type { RuntimeContext } from "../context.ts";

/**
 * Queues a message that asks for what was cut off, for whoever takes the session up. Only where people have said so, and
 * not without end: an agent that takes its server down with it must not do so again and again.
 */
export async function continueInterrupted(
  { store, execute, newId, clock, limits, nudge, log }: RuntimeContext,
  { sessionId, runId, most }: { sessionId: string; runId: string; most: number },
): Promise<void> {
  try {
    const runs = await store.readRuns(sessionId);
    const others = runs.findLastIndex(
      ({ status }) => status !== "interrupted" && status !== "queued",
    );
    const cutOff = runs.slice(others + 1).filter(({ status }) => status === "interrupted");
    const run = cutOff.find(({ id }) => id === runId);
    if (run === undefined || cutOff.length > most) return;
    const messageId = newId();
    const executed = await execute({
      sessionId,
      command: (session) =>
        session === null || session.queue.length > 0 || openSuspensionsOf(session).length > 0
          ? []
          : {
              type: "send",
              at: clock(),
              messageId,
              runId: newId(),
              provider: run.provider,
              model: run.model,
              continuity: "auto",
              delivery: "queue",
              maxQueued: limits.queue,
              start: null,
            },
      extras: { contents: { [messageId]: { type: "text", text: GO_ON } } },
    });
    if (executed.ok && executed.events.length > 0) nudge(sessionId);
  } catch (err) {
    log.error({ sessionId, err }, "a run that was cut off could not be continued");
  }
}

const GO_ON =
  "The work on the last message was cut off when the server ended. See what is done already, and go on from there.";
