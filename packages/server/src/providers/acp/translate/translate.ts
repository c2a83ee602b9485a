import type { Json } from "../../../domain/json.ts";
import type { MessageContent } from "../../../domain/message.ts";
import type { AgentReport } from "../../provider.ts";
import { learnAbout, NOTHING_KNOWN } from "./about.ts";
import { contentOfBlock, textOfBlock } from "./content-block.ts";
import { compactionMessage, noticeMessage } from "./agent-notice.ts";
import { appendPieces, NO_PIECES } from "../wire/kept.ts";
import { looseLabel, looseList, looseObject, type Loose } from "../wire/loose.ts";
import { fingerprintOf, parsePermission, toolCallOf } from "./permission.ts";
import { planContent } from "./plan.ts";
import { createTextStream } from "./text-stream.ts";
import { newToolCall, patchToolCall, type ToolCall } from "./tool-call.ts";
import { createToolCalls } from "./tool-calls.ts";
import type { Translator } from "./translator.ts";
import { addTokens, costSince, normaliseUsage, type Usage } from "./usage.ts";

type Voice = "answer" | "thought";

const ALIVE: readonly AgentReport[] = [{ report: "alive" }];

export function createTranslator(): Translator {
  const text = createTextStream();
  const calls = createToolCalls();
  let about = NOTHING_KNOWN;
  let streamed = new Set<string>();
  /** Of a compaction under way. */
  let summary = NO_PIECES;
  /** Of this prompt; and the totals of the agent, now and when the prompt before this one ended. */
  let spent: Usage = {};
  let totals: Usage = {};
  let totalsBefore: Usage = {};

  /** What was held back goes out before anything else is said. */
  const interrupt = (): readonly AgentReport[] => [...text.flush(), ...calls.settle()];

  const say = (content: MessageContent | null): readonly AgentReport[] =>
    content === null ? ALIVE : [...interrupt(), { report: "message", content }];

  const chunk = (voice: Voice, update: Loose): readonly AgentReport[] => {
    const counted = countRequest(update);
    const part = looseLabel(update["messageId"]);
    const piece = textOfBlock(update["content"]);
    if (piece === null) return [...say(showBlock(voice, update["content"])), ...counted];
    if (part !== null) streamed.add(`${voice} ${part}`);
    if (piece === "") return counted.length > 0 ? counted : ALIVE;
    const reports = text.take({ report: "text", voice, part, text: piece });
    const said = [...calls.settle(), ...reports, ...counted];
    return said.length > 0 ? said : ALIVE;
  };

  /** A whole message, in the next version of the protocol; it repeats what was streamed under its id. */
  const whole = (voice: Voice, update: Loose): readonly AgentReport[] => {
    const part = looseLabel(update["messageId"]);
    if (part !== null && streamed.has(`${voice} ${part}`)) return ALIVE;
    const reports = looseList(update["content"]).flatMap((content) =>
      chunk(voice, { content, messageId: part }),
    );
    return reports.length > 0 ? reports : ALIVE;
  };

  /** Some agents count each request to their model apart, on a chunk; together they are the prompt's. */
  const countRequest = (update: Loose): readonly AgentReport[] => {
    if (update["_meta"] === undefined) return [];
    const usage = normaliseUsage({ _meta: update["_meta"] });
    if (usage === null) return [];
    spent = addTokens(spent, usage);
    return [{ report: "usage", usage: spent }];
  };

  const tool = (reports: readonly AgentReport[]): readonly AgentReport[] =>
    reports.length > 0 ? [...text.flush(), ...reports] : ALIVE;

  const learn = (told: unknown): readonly AgentReport[] => {
    about = learnAbout(about, told);
    return ALIVE;
  };

  const translate = (update: Loose): readonly AgentReport[] => {
    switch (update["sessionUpdate"]) {
      case "agent_message_chunk":
        return chunk("answer", update);
      case "agent_thought_chunk":
        return chunk("thought", update);
      case "agent_message":
        return whole("answer", update);
      case "agent_thought":
        return whole("thought", update);
      case "tool_call":
        return tool(calls.patch(update, { isNew: true }));
      case "tool_call_update":
        return tool(calls.patch(update, { isNew: false }));
      case "tool_call_content_chunk":
        return tool(calls.extend(update));
      case "plan":
      case "plan_update": {
        const content = planContent(update);
        return content === null ? ALIVE : [...interrupt(), { report: "plan", content }];
      }
      case "usage_update": {
        const usage = normaliseUsage(update);
        if (usage === null) return ALIVE;
        totals = { ...totals, ...usage };
        return [{ report: "usage", usage: costSince(usage, totalsBefore) }];
      }
      case "session_info_update": {
        const title = looseLabel(update["title"]);
        return title === null ? ALIVE : [{ report: "title", title }];
      }
      case "available_commands_update":
      case "current_mode_update":
      case "config_option_update":
        return learn(update);
      case "notice":
        return say(noticeMessage(update));
      case "compaction_summary_chunk":
        summary = appendPieces(summary, textOfBlock(update["content"]) ?? "");
        return ALIVE;
      case "compaction_update": {
        const content = compactionMessage(update, summary);
        if (content !== null) summary = NO_PIECES;
        return say(content);
      }
      default:
        return ALIVE;
    }
  };

  return {
    get about() {
      return about;
    },
    update(update) {
      const parts = looseObject(update);
      return parts === null ? ALIVE : translate(parts);
    },
    permission(params) {
      const asked = toolCallOf(params);
      const before = interrupt();
      const reports = asked === null ? [] : calls.ask(asked);
      const call = asked === null ? null : (calls.get(asked["toolCallId"]) ?? callOnlyAsked(asked));
      const request = parsePermission(params, call);
      return request === null
        ? null
        : { request, fingerprint: fingerprintOf(params), reports: [...before, ...reports] };
    },
    endPrompt(how) {
      const reports = [...text.flush(), ...calls.endAll(how)];
      streamed = new Set();
      spent = {};
      totalsBefore = totals;
      return reports;
    },
  };
}

/** A permission may be asked for a call without an id, or for one that has ended: what is asked still counts. */
function callOnlyAsked(asked: Loose): ToolCall {
  return patchToolCall(newToolCall(looseLabel(asked["toolCallId"]) ?? ""), asked);
}

function showBlock(voice: Voice, block: unknown): MessageContent | null {
  const content = contentOfBlock(block);
  if (content === null || voice === "answer") return content;
  const marked: Record<string, Json> = { voice };
  return { ...content, ...marked };
}
