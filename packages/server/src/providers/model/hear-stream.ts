import { randomUUID } from "node:crypto";
import type { FinishReason, TextStreamPart, ToolSet } from "ai";
import type { JsonObject } from "../../domain/json.ts";
import { keepJson } from "../acp/wire/kept.ts";
import { createTextStream } from "../acp/translate/text-stream.ts";
import type { AgentReport } from "../provider.ts";
import { failedTool, type ModelToolCall } from "./model-tool.ts";
import { toUsage } from "./model-usage.ts";

/** What a model's answer came to, besides the text that was reported on the way. */
export interface Heard {
  /** Null when the stream ended before it was said. */
  readonly finishReason: FinishReason | null;
  readonly usage: JsonObject | null;
  /** Tools the client is to use. */
  readonly calls: readonly ModelToolCall[];
}

export interface HearingOptions {
  readonly report: (report: AgentReport) => Promise<void>;
  /** Names that calls of the run have already. */
  readonly taken: ReadonlySet<unknown>;
}

/** Reports a model's answer while it comes. Throws what the stream brings as an error. */
export async function hearStream(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
  { report, taken }: HearingOptions,
): Promise<Heard> {
  const text = createTextStream();
  const calls = new Map<string, ModelToolCall>();
  let finishReason: FinishReason | null = null;
  let usage: JsonObject | null = null;
  const say = async (reports: readonly AgentReport[]): Promise<void> => {
    for (const each of reports) await report(each);
  };
  for await (const part of stream) {
    switch (part.type) {
      case "text-delta":
      case "reasoning-delta": {
        const voice = part.type === "text-delta" ? "answer" : "thought";
        await say(text.take({ report: "text", voice, part: part.id, text: part.text }));
        break;
      }
      case "tool-call":
        calls.set(part.toolCallId, {
          callId: nameOf(part.toolCallId, taken, calls),
          tool: part.toolName,
          args: keepJson(part.input ?? {}),
          usage: null,
        });
        break;
      case "tool-error": {
        const call = calls.get(part.toolCallId);
        calls.delete(part.toolCallId);
        if (call === undefined) break;
        const content = failedTool(call, reasonOf(part.error));
        await say(text.flush());
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
  await say(text.flush());
  return { finishReason, usage, calls: [...calls.values()] };
}

/** Models count their calls anew with each answer, or use names that another API would not take. */
function nameOf(
  given: string,
  taken: ReadonlySet<unknown>,
  calls: ReadonlyMap<string, ModelToolCall>,
): string {
  const isFree = !taken.has(given) && !calls.has(given);
  return isFree && /^[A-Za-z0-9_-]{1,64}$/u.test(given) ? given : `call_${randomUUID()}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
