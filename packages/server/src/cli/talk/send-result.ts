import type { Message, Run } from "@holdfast/protocol";

/** The public output of `send --json`. */
export function sendResult(run: Run, messages: readonly Message[]) {
  return {
    session_id: run.sessionId,
    message_id: run.messageId,
    run: {
      id: run.id,
      status: run.status,
      provider: run.provider,
      model: run.model,
      attempts: run.attempts,
      stop_reason: run.stopReason,
      error: run.error ?? null,
      usage: run.usage,
      memory: run.memory,
      queued_at: run.queuedAt,
      started_at: run.startedAt,
      ended_at: run.endedAt,
    },
    /** The answer of the agent, without its tool calls. */
    text: messages.flatMap(answerIn).join("\n\n"),
  };
}

function answerIn({ role, content }: Message): readonly string[] {
  const isAnswer = role === "agent" && content.type === "text" && content["notice"] === undefined;
  return isAnswer && typeof content["text"] === "string" ? [content["text"]] : [];
}
