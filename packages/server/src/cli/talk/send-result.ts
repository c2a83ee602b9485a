import type { Message, Run, SendMessageReply } from "@holdfast/protocol";

/** The public output of `send --json`. */
export function sendResult(
  run: Run,
  messages: readonly Message[],
  sent?: Pick<SendMessageReply, "steering" | "message">,
) {
  return {
    sessionId: run.sessionId,
    messageId: sent?.steering === undefined ? run.messageId : sent.message.id,
    /** Only with `--steer`: `injected`, `queued`, `pending` or `unknown`. */
    ...(sent?.steering !== undefined && { steering: sent.steering }),
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
