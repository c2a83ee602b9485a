import { cleanText } from "../../../domain/clean-text.ts";
import type { MessageContent } from "../../../domain/message.ts";
import type { AgentReport, PermissionRequest } from "../../provider.ts";
import { NOTHING_HELD, type Redactor } from "../../secrets/redactor.ts";
import { openSecrets } from "../../secrets/secrets.ts";
import { looseLabel, looseList, looseObject, looseText, type Loose } from "../wire/loose.ts";
import { appendText, EMPTY_EXCERPT, shortenText, type Excerpt } from "../wire/shorten.ts";
import { parseElicitation, type ParsedElicitation } from "./elicitation.ts";
import { contentOfBlock, textOfBlock } from "./content-block.ts";
import { fingerprintOf, parsePermission, toolCallOf } from "./permission.ts";
import { createTextStream } from "./text-stream.ts";
import { newToolCall, patchToolCall, type ToolCall } from "./tool-call.ts";
import { planContent, planOfTool } from "./plan.ts";
import { createToolCalls, type CallReport } from "./tool-calls.ts";
import { addTokens, costSince, normaliseUsage, type Usage } from "./usage.ts";

/** Translates the messages of one agent into reports. It keeps state between calls, and never throws. */
export interface Translator {
  /**
   * Translates the `update` of a `session/update`, which is not validated yet. `sessionId`: of another session than the
   * agent's own, such as the session of a sub-agent.
   */
  update(update: unknown, sessionId?: string | null): readonly AgentReport[];
  /** Translates the params of a `session/request_permission`; null if they cannot be understood. */
  permission(params: unknown): TranslatedPermission | null;
  /** Translates the params of an `elicitation/create`. */
  elicitation(params: unknown): TranslatedElicitation;
  /** A notice of our own about the agent. */
  notice(name: string, text: string, severity?: "info" | "warning"): readonly AgentReport[];
  /** Closes everything that is still open at the end of a prompt. */
  endPrompt(how: "completed" | "cancelled" | "failed"): readonly AgentReport[];
  /** Reports text that waits for the rest of a secret, although the agent says nothing more. */
  release(): readonly AgentReport[];
  /** Whether text waits for the rest of a secret. */
  readonly isHolding: boolean;
  /** The agent's totals at the end of the last prompt. */
  readonly usage: Usage;
}

export interface TranslatedPermission {
  readonly request: PermissionRequest;
  /** A hash of tool and input: equal when the agent repeats a request. */
  readonly fingerprint: string;
  /** Reports that must be sent before the request. */
  readonly reports: readonly AgentReport[];
}

export type TranslatedElicitation =
  | Extract<ParsedElicitation, { ok: false }>
  | (Extract<ParsedElicitation, { ok: true }> & { readonly reports: readonly AgentReport[] });

type Voice = "answer" | "thought";

const ALIVE: readonly AgentReport[] = [{ report: "alive" }];

/** The messages contain no whole secrets any more, but pieces of one can be in several messages. */
export function createTranslator(
  redactor: Redactor = openSecrets().redactor,
  outputBytes?: number,
  usageBefore: Usage = {},
): Translator {
  const text = createTextStream(redactor);
  const calls = createToolCalls(redactor, outputBytes);
  let streamed = new Set<string>();
  /** The summary of a compaction in progress. */
  let summary = EMPTY_EXCERPT;
  let summaryHeld = NOTHING_HELD;
  /** The plan that is shown, of an agent that has several. */
  let planId: string | null = null;
  /** The usage of this prompt. */
  let promptUsage: Usage = {};
  /** The agent's totals: now, and at the end of the prompt before this one. */
  let totals = usageBefore;
  let totalsBefore = usageBefore;

  /** Held reports go out before any other report. */
  const flush = (): readonly AgentReport[] => [...text.flush(), ...calls.settle()];

  const message = (content: MessageContent | null): readonly AgentReport[] =>
    content === null ? ALIVE : [...flush(), { report: "message", content }];

  const chunk = (voice: Voice, update: Loose): readonly AgentReport[] => {
    const usage = requestUsage(update);
    const part = looseLabel(update["messageId"]);
    const piece = textOfBlock(update["content"]);
    if (piece === null) return [...message(blockContent(voice, update["content"])), ...usage];
    if (part !== null) streamed.add(`${voice} ${part}`);
    if (piece === "") return usage.length > 0 ? usage : ALIVE;
    const textReports = text.take({ report: "text", voice, part, text: piece });
    const reports = [...calls.settle(), ...textReports, ...usage];
    return reports.length > 0 ? reports : ALIVE;
  };

  /** A whole message, in the next version of the protocol. It repeats the chunks that had its ID. */
  const whole = (voice: Voice, update: Loose): readonly AgentReport[] => {
    const part = looseLabel(update["messageId"]);
    if (part !== null && streamed.has(`${voice} ${part}`)) return ALIVE;
    const reports = looseList(update["content"]).flatMap((content) =>
      chunk(voice, { content, messageId: part }),
    );
    return reports.length > 0 ? reports : ALIVE;
  };

  /** Some agents report the usage of each request to their model on a chunk. The prompt's usage is the sum. */
  const requestUsage = (update: Loose): readonly AgentReport[] => {
    if (update["_meta"] === undefined) return [];
    const usage = normaliseUsage({ _meta: update["_meta"] });
    if (usage === null) return [];
    promptUsage = addTokens(promptUsage, usage);
    return [{ report: "usage", usage: promptUsage }];
  };

  const tool = (reports: readonly CallReport[]): readonly AgentReport[] => {
    const plans = reports.flatMap((each) => (each.report === "tool" ? planOfTool(each) : []));
    return reports.length > 0 ? [...text.flush(), ...reports, ...plans] : ALIVE;
  };

  const plan = (content: MessageContent | null): readonly AgentReport[] =>
    content === null ? ALIVE : [...flush(), { report: "plan", content }];

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
        return plan(planContent(update));
      case "plan_update": {
        planId = looseLabel(looseObject(update["plan"])?.["planId"]) ?? planId;
        return plan(planContent(update));
      }
      case "plan_removed":
        // Another plan may have replaced it.
        return looseLabel(update["planId"]) === planId ? plan({ type: "plan", steps: [] }) : ALIVE;
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
      case "notice":
        return message(noticeContent(update));
      case "compaction_summary_chunk": {
        const next = redactor.next(summaryHeld, textOfBlock(update["content"]) ?? "");
        summary = appendText(summary, next.text);
        summaryHeld = next.held;
        return ALIVE;
      }
      case "compaction_update": {
        const rest = redactor.release(summaryHeld);
        summary = appendText(summary, rest.text);
        summaryHeld = rest.held;
        const content = compactionContent(update, summary);
        if (content !== null) summary = EMPTY_EXCERPT;
        return message(content);
      }
      default:
        return ALIVE;
    }
  };

  return {
    update(update) {
      const fields = looseObject(update);
      return fields === null ? ALIVE : translate(fields);
    },
    permission(params) {
      const toolCall = toolCallOf(params);
      const before = flush();
      const reports = toolCall === null ? [] : calls.ask(toolCall);
      const call =
        toolCall === null
          ? null
          : (calls.get(toolCall["toolCallId"]) ?? standaloneCall(toolCall, redactor));
      const request = parsePermission(params, call);
      return request === null
        ? null
        : { request, fingerprint: fingerprintOf(params), reports: [...before, ...reports] };
    },
    elicitation(params) {
      const parsed = parseElicitation(params);
      return parsed.ok ? { ...parsed, reports: flush() } : parsed;
    },
    notice: (name, words, severity = "warning") => message(notice(name, words, severity)),
    endPrompt(how) {
      const reports = [...text.flush(), ...calls.endAll(how)];
      streamed = new Set();
      promptUsage = {};
      totalsBefore = totals;
      return reports;
    },
    release: () => [...text.release(), ...calls.release()],
    get usage() {
      return totalsBefore;
    },
    get isHolding() {
      return text.isHolding || calls.isHolding;
    },
  };
}

/** A permission request may be for a call without an ID, or for one that has ended. */
function standaloneCall(toolCall: Loose, redactor: Redactor): ToolCall {
  return patchToolCall(newToolCall(looseLabel(toolCall["toolCallId"]) ?? ""), toolCall, redactor);
}

function blockContent(voice: Voice, block: unknown): MessageContent | null {
  const content = contentOfBlock(block);
  return content === null || voice === "answer" ? content : { ...content, voice };
}

/** Reads a `notice`, which comes from the agent's program and not from its model. */
function noticeContent(update: Loose): MessageContent | null {
  const title = looseLabel(update["title"], 2_000);
  const description = looseText(update["description"]);
  const text = [title, description].filter((part) => part !== null && part !== "").join("\n\n");
  const severity = looseLabel(update["severity"]) ?? "info";
  return text === "" ? null : notice("agent_notice", text, severity);
}

/** Reads the end of a compaction; null before the end. Its summary may have come in chunks before. */
function compactionContent(update: Loose, chunks: Excerpt): MessageContent | null {
  switch (update["status"]) {
    case "completed": {
      const inUpdate = looseList(update["summary"])
        .map((block) => looseText(textOfBlock(block)))
        .filter((text) => text !== null && text !== "")
        .join("\n");
      const summary = inUpdate === "" ? cleanText(shortenText(chunks)) : inUpdate;
      const text = "The agent has compacted its memory of this session.";
      return notice("agent_compaction", summary === "" ? text : `${text}\n\n${summary}`, "info");
    }
    case "failed": {
      const error = looseLabel(update["error"], 2_000);
      const text = "The agent could not compact its memory of this session";
      const reason = error === null ? "." : `: ${error}`;
      return notice("agent_compaction", `${text}${reason}`, "warning");
    }
    default:
      return null;
  }
}

function notice(name: string, text: string, severity: string): MessageContent {
  return { type: "text", text: shortenText(text), notice: name, severity };
}
