import type { Message, Run } from "@holdfast/protocol";

/** The public output of `send --json`. */
export interface SendResult {
  readonly session_id: string;
  readonly message_id: string;
  readonly run: RunResult;
  /** The answer of the agent, without its tool calls. */
  readonly text: string;
}

interface RunResult {
  readonly id: string;
  readonly status: Run["status"];
  readonly provider: string | null;
  readonly model: string | null;
  readonly attempts: number;
  readonly stop_reason: string | null;
  readonly error: unknown;
  readonly usage: Run["usage"];
  readonly memory: Run["memory"];
  readonly queued_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

export function sendResult(run: Run, messages: readonly Message[]): SendResult {
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
    text: messages.flatMap(answerIn).join("\n\n"),
  };
}

function answerIn({ role, content }: Message): readonly string[] {
  const isAnswer = role === "agent" && content.type === "text" && content["notice"] === undefined;
  return isAnswer && typeof content["text"] === "string" ? [content["text"]] : [];
}
