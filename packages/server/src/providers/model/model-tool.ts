import type { Json } from "../../domain/json.ts";
import type { Message, MessageContent } from "../../domain/message.ts";
import { normaliseUsage, type Usage } from "../acp/translate/usage.ts";
import type { PromptAnswer } from "../provider.ts";

/** IDs of calls that every API accepts. */
export const CALL_ID = /^[A-Za-z0-9_-]{1,64}$/u;

export interface ModelToolCall {
  readonly callId: string;
  readonly tool: string;
  readonly args: Json;
  /** The usage of the answer that made the call. */
  readonly usage: Usage | null;
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

/** A call that fails at once, because the tool does not exist or the input is invalid. */
export function failedTool(call: ModelToolCall, reason: string): MessageContent {
  return { ...pendingTool(call), status: "failed", result: reason };
}

export interface SettledTool {
  readonly callId: string;
  readonly content: MessageContent;
}

/**
 * Leaves out pending calls whose end is in a later message. There are two messages if a server stopped between the
 * answer and its delivery, because a written message could not be changed any more.
 */
export function withoutEchoes(messages: readonly Message[]): readonly Message[] {
  const ended = new Set(
    messages.flatMap(({ content }) =>
      content.type === "tool" && !isPending(content) ? content["callId"] : [],
    ),
  );
  return messages.filter(({ content }) => !isPending(content) || !ended.has(content["callId"]));
}

/** The pending tool calls of a run, with their results. */
export function settleTools(
  begun: readonly Message[],
  answers: readonly PromptAnswer[],
): readonly SettledTool[] {
  return begun.flatMap(({ content }): readonly SettledTool[] => {
    const { callId } = content;
    if (!isPending(content) || typeof callId !== "string") return [];
    const answer = answers.find((each) => each.kind === "tool_result" && each.callId === callId);
    const result = answer?.answer ?? null;
    const outcome =
      result === null
        ? { status: "failed", result: "Nobody answered this call." }
        : { status: "completed", result };
    return [{ callId, content: { ...content, ...outcome } }];
  });
}

/** The usage of a run's earlier answers. Each is stored with the first call of its answer. */
export function usageOf(begun: readonly Message[]): readonly Usage[] {
  return begun
    .map(({ content: { type, usage } }) => (type === "tool" ? normaliseUsage(usage) : null))
    .filter((usage) => usage !== null);
}

function isPending({ type, status }: MessageContent): boolean {
  return type === "tool" && status === "pending";
}
