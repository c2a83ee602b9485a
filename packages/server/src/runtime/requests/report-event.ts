import type { RuntimeContext } from "../context.ts";
import type { AnswerSuspension, ReportedEvent, ReportEvent } from "../runtime.ts";
import type { Reply } from "../reply.ts";

/** Sessions that are answered at the same time. */
const AT_ONCE = 16;

/** Answers everything that waits for the event. A failure of one is told, and keeps no other one waiting. */
export async function reportEvent(
  { store, log }: Pick<RuntimeContext, "store" | "log">,
  {
    name,
    answer,
    by,
    answerOne,
  }: ReportEvent & { readonly answerOne: (request: AnswerSuspension) => Promise<Reply<object>> },
): Promise<readonly ReportedEvent[]> {
  const open = await store.openSuspensions();
  const waiting = open.filter(({ kind, request }) => kind === "event" && request["title"] === name);
  const reported: ReportedEvent[] = [];
  while (reported.length < waiting.length) {
    const part = waiting.slice(reported.length, reported.length + AT_ONCE);
    const answered = part.map(async ({ id: suspensionId, sessionId }) => {
      const problem = await problemOf(() => answerOne({ sessionId, suspensionId, answer, by }));
      if (problem !== null)
        log.warn({ sessionId, suspensionId, problem }, "an event was not taken");
      return { sessionId, suspensionId, problem };
    });
    reported.push(...(await Promise.all(answered)));
  }
  return reported;
}

async function problemOf(
  answering: () => Promise<Reply<object>>,
): Promise<ReportedEvent["problem"]> {
  try {
    const answered = await answering();
    return answered.ok ? null : answered.refusal;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
