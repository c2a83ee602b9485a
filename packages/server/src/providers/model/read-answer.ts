import { randomUUID } from "node:crypto";
import type { FinishReason, LanguageModelUsage, TextStreamPart, ToolSet } from "ai";
import { defined } from "../../domain/defined.ts";
import { errorText } from "../../domain/error-text.ts";
import { createTextStream } from "../acp/translate/text-stream.ts";
import type { Usage } from "../acp/translate/usage.ts";
import { shortenJson } from "../acp/wire/shorten.ts";
import type { AgentReport } from "../provider.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { CALL_ID, failedTool, type ModelToolCall } from "./model-tool.ts";

/** The end of a model's answer; its text has been reported while it was streamed. */
export interface ModelAnswer {
  /** Null if the stream ended without a reason. */
  readonly finishReason: FinishReason | null;
  readonly usage: Usage | null;
  /** Calls of the client's tools. */
  readonly calls: readonly ModelToolCall[];
}

interface ReadOptions {
  /** IDs of calls earlier in the run. */
  readonly usedIds: ReadonlySet<unknown>;
  readonly redactor: Redactor;
}

/** Reports a model's answer while it is streamed. Throws the error if the stream contains one. */
export async function readAnswer(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
  { usedIds, redactor }: ReadOptions,
  report: (report: AgentReport) => Promise<void>,
): Promise<ModelAnswer> {
  const text = createTextStream(redactor);
  const calls = new Map<string, ModelToolCall>();
  let finishReason: FinishReason | null = null;
  let usage: Usage | null = null;
  const isPlainId = (id: string): boolean => CALL_ID.test(id) && redactor.text(id) === id;
  const reportAll = async (reports: readonly AgentReport[]): Promise<void> => {
    for (const each of reports) await report(each);
  };
  for await (const part of stream) {
    switch (part.type) {
      case "text-delta":
      case "reasoning-delta": {
        const voice = part.type === "text-delta" ? "answer" : "thought";
        await reportAll(text.take({ report: "text", voice, part: part.id, text: part.text }));
        break;
      }
      case "tool-call": {
        const isFree = !usedIds.has(part.toolCallId) && !calls.has(part.toolCallId);
        calls.set(part.toolCallId, {
          callId: isFree && isPlainId(part.toolCallId) ? part.toolCallId : newCallId(),
          tool: redactor.text(part.toolName),
          args: shortenJson(redactor.json(part.input ?? {})),
          usage: null,
        });
        break;
      }
      case "tool-error": {
        const call = calls.get(part.toolCallId);
        calls.delete(part.toolCallId);
        if (call === undefined) break;
        const content = failedTool(call, redactor.text(errorText(part.error)));
        await reportAll(text.flush());
        await report({ report: "tool", callId: call.callId, content, ended: true });
        break;
      }
      case "finish":
        finishReason = part.finishReason;
        usage = toUsage(part.totalUsage);
        break;
      case "error":
        throw part.error;
      default:
        await report({ report: "alive" });
    }
  }
  await reportAll(text.flush());
  return { finishReason, usage, calls: [...calls.values()] };
}

/** Some models number their calls from the start in each answer, or use IDs that another API refuses. */
function newCallId(): string {
  return `call_${randomUUID()}`;
}

/** Null if the API did not report the usage. */
function toUsage({ inputTokens, outputTokens, totalTokens }: LanguageModelUsage): Usage | null {
  if (inputTokens === undefined && outputTokens === undefined) return null;
  const sum = (inputTokens ?? 0) + (outputTokens ?? 0);
  return { ...defined({ inputTokens, outputTokens }), totalTokens: totalTokens ?? sum };
}
