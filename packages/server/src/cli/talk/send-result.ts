import type { Message, Run } from "@holdfast/protocol";

/** The public output of `send --json`. */
export function sendResult(run: Run, messages: readonly Message[]) {
  return {
    sessionId: run.sessionId,
    messageId: run.messageId,
    run: {
      id: run.id,
      status: run.status,
      provider: run.provider,
      model: run.model,
      attempts: run.attempts,
      stopReason: run.stopReason,
      error: run.error ?? null,
      usage: run.usage,
      memory: run.memory,
      queuedAt: run.queuedAt,
      startedAt: run.startedAt,
      endedAt: run.endedAt,
    },
    /** The answer of the agent, without its tool calls. */
    text: messages.flatMap(answerIn).join("\n\n"),
  };
}

function answerIn({ role, content }: Message): readonly string[] {
  const isAnswer = role === "agent" && content.type === "text" && content["notice"] === undefined;
  return isAnswer && typeof content["text"] === "string" ? [content["text"]] : [];
}
