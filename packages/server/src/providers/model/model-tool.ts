import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { Message, MessageContent } from "../../domain/message.ts";
import type { PromptAnswer } from "../provider.ts";

/** A tool call as a message; `usage` is what the answer that asked for it had used. */
export interface ModelToolCall {
  readonly callId: string;
  readonly tool: string;
  readonly args: Json;
  readonly usage: JsonObject | null;
}

export function pendingTool({ callId, tool, args, usage }: ModelToolCall): MessageContent {
  return {
    type: "tool",
    tool,
    args,
    result: null,
    callId,
    title: tool,
    kind: null,
    status: "pending",
    locations: [],
    output: [],
    ...(usage !== null && { usage }),
  };
}

/** A call that ends where it was made, because there is no such tool or its input is not as it must be. */
export function failedTool(call: ModelToolCall, reason: string): MessageContent {
  return { ...pendingTool(call), status: "failed", result: reason };
}

export interface SettledTool {
  readonly callId: string;
  readonly content: MessageContent;
}

/**
 * Without the announcement of a call where a later message says how it ended. There are two when a server ended
 * between the answer and its delivery: what it had written could not be changed any more.
 */
export function withoutEchoes(messages: readonly Message[]): readonly Message[] {
  const ended = new Set(
    messages.flatMap(({ content }) =>
      isTool(content) && !isPending(content) ? content["callId"] : [],
    ),
  );
  return messages.filter(
    ({ content }) => !isTool(content) || !isPending(content) || !ended.has(content["callId"]),
  );
}

/** The tool calls of a run that still waited, with what has come of them. */
export function settleTools(
  begun: readonly Message[],
  answers: readonly PromptAnswer[],
): readonly SettledTool[] {
  return begun.flatMap(({ content }): readonly SettledTool[] => {
    const { callId } = content;
    if (!isTool(content) || !isPending(content) || typeof callId !== "string") return [];
    const answer = answers.find((each) => each.kind === "tool_result" && each.callId === callId);
    const result = answer?.answer ?? null;
    return [
      {
        callId,
        content:
          answer === undefined || result === null
            ? { ...content, status: "failed", result: "Nobody answered this call." }
            : { ...content, status: "completed", result },
      },
    ];
  });
}

/** What the earlier answers of a run have used: each is noted at the first call it made. */
export function usageOf(begun: readonly Message[]): readonly JsonObject[] {
  return begun.flatMap(({ content: { type, usage } }) =>
    type === "tool" && isObject(usage) ? [usage] : [],
  );
}

function isTool({ type }: MessageContent): boolean {
  return type === "tool";
}

function isPending({ status }: MessageContent): boolean {
  return status === "pending";
}
