import { openSuspensionsOf } from "../../domain/session.ts";
import type { RuntimeContext } from "../context.ts";

/**
 * Queues a message that asks the agent to continue an interrupted run. Only where this is configured, and at most `most`
 * times in a row: an agent that crashes its server must not do so for ever.
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
    log.error({ sessionId, err }, "an interrupted run could not be continued");
  }
}

const GO_ON =
  "The work on the last message was cut off when the server ended. See what is done already, and go on from there.";
