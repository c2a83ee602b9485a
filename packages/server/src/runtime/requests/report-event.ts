import type { RuntimeContext } from "../context.ts";
import type { Json } from "../../domain/json.ts";
import type { Reply, RuntimeRefusal } from "../reply.ts";
import type { AnswerSuspension } from "./request-types.ts";

export interface ReportEvent {
  readonly name: string;
  readonly answer: Json;
  /** Who reported it, as it is recorded. */
  readonly by: string;
}

/** The outcome for one suspension that waited for the event. */
export interface ReportedEvent {
  readonly sessionId: string;
  readonly suspensionId: string;
  /** Null if it was answered. */
  readonly problem: RuntimeRefusal | Error | null;
}

/** Sessions answered at the same time. */
const AT_ONCE = 16;

/** Answers every suspension that waits for the event. A failure of one does not stop the others. */
export async function reportEvent(
  { store, log }: Pick<RuntimeContext, "store" | "log">,
  { name, answer, by }: ReportEvent,
  answerOne: (request: AnswerSuspension) => Promise<Reply<object>>,
): Promise<readonly ReportedEvent[]> {
  const open = await store.openSuspensions();
  const waiting = open.filter(({ kind, request }) => kind === "event" && request["title"] === name);
  const reported: ReportedEvent[] = [];
  while (reported.length < waiting.length) {
    const part = waiting.slice(reported.length, reported.length + AT_ONCE);
    const outcomes = part.map(async ({ id: suspensionId, sessionId }) => {
      const problem = await problemOf(() => answerOne({ sessionId, suspensionId, answer, by }));
      if (problem !== null)
        log.warn(
          { sessionId, suspensionId, problem },
          "an event could not be delivered to a session",
        );
      return { sessionId, suspensionId, problem };
    });
    reported.push(...(await Promise.all(outcomes)));
  }
  return reported;
}

async function problemOf(answer: () => Promise<Reply<object>>): Promise<ReportedEvent["problem"]> {
  try {
    const reply = await answer();
    return reply.ok ? null : reply.refusal;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
