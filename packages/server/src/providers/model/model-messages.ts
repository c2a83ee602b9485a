import type { AssistantModelMessage, ModelMessage, ToolResultPart, UserModelMessage } from "ai";
import { isObject, type Json } from "../../domain/json.ts";
import { authorOf, type Message, type MessageContent } from "../../domain/message.ts";
import { CALL_ID } from "./model-tool.ts";

type UserPart = Exclude<UserModelMessage["content"], string>[number];
type AssistantPart = Exclude<AssistantModelMessage["content"], string>[number];

/** Converts a stored message. Messages that a model cannot use become nothing. */
export function toModelMessages(
  message: Message,
  toolNames: ReadonlySet<string>,
): readonly ModelMessage[] {
  const { content } = message;
  const author = authorOf(message);
  switch (author) {
    case "user":
      return [fromUser(partsOf(content))];
    case "agent":
      return fromAgent(content, toolNames);
    case "system":
      return fromSystem(content);
    default:
      return author satisfies never;
  }
}

export function fromUser(parts: readonly MessageContent[]): ModelMessage {
  return { role: "user", content: parts.map(userPart) };
}

export function note(text: string): ModelMessage {
  return { role: "user", content: [{ type: "text", text: `[${text}]` }] };
}

/** Joins consecutive messages of one role: some models require alternating roles. */
export function joinNeighbours(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const joined: ModelMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role === "user" && message.role === "user") {
      joined[joined.length - 1] = {
        role: "user",
        content: [...listOf(last.content), ...listOf(message.content)],
      };
    } else if (last?.role === "assistant" && message.role === "assistant") {
      joined[joined.length - 1] = {
        role: "assistant",
        content: joinTexts([...listOf(last.content), ...listOf(message.content)]),
      };
    } else {
      joined.push(message);
    }
  }
  return joined;
}

/** Joins consecutive texts with a blank line: some APIs would join them without any separator. */
function joinTexts(parts: readonly AssistantPart[]): AssistantPart[] {
  const joined: AssistantPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last?.type === "text" && part.type === "text") {
      joined[joined.length - 1] = { type: "text", text: `${last.text}\n\n${part.text}` };
    } else {
      joined.push(part);
    }
  }
  return joined;
}

function listOf<Part>(
  content: string | readonly Part[],
): readonly (Part | { readonly type: "text"; readonly text: string })[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function userPart(part: MessageContent): UserPart {
  const { type, text, data, mimeType, uri } = part;
  if (type === "image" && typeof data === "string" && typeof mimeType === "string") {
    return { type: "file", data, mediaType: mimeType };
  }
  if (type === "resource" && typeof text === "string") {
    return { type: "text", text: typeof uri === "string" ? `${uri}\n\n${text}` : text };
  }
  // Never fetched: a URI in a message may point anywhere.
  if (typeof uri === "string") return { type: "text", text: `[${type}: ${uri}]` };
  return { type: "text", text: typeof text === "string" ? text : `[${type}]` };
}

function fromAgent(
  content: MessageContent,
  toolNames: ReadonlySet<string>,
): readonly ModelMessage[] {
  const { type, text } = content;
  switch (type) {
    case "text":
      return typeof text === "string" && text.trim() !== "" ? [assistantText(text)] : [];
    case "tool":
      return fromTool(content, toolNames);
    case "thought":
    case "plan":
      return [];
    default:
      return [assistantText(`[${type}]`)];
  }
}

/** Calls of the client's tools become a call and its result. Calls of other agents become text. */
function fromTool(
  { tool, title, args, result, callId, status }: MessageContent,
  toolNames: ReadonlySet<string>,
): readonly ModelMessage[] {
  const name = typeof tool === "string" ? tool : "a tool";
  const isOwn = toolNames.has(name) && typeof callId === "string" && CALL_ID.test(callId);
  if (!isOwn) {
    const label = typeof title === "string" && title !== name ? `${name} (${title})` : name;
    const outcome = result === null || result === undefined ? "" : `: ${textOf(result)}`;
    return [assistantText(`[I used ${label}${outcome}]`)];
  }
  const call = { toolCallId: callId, toolName: name };
  const input = isObject(args) ? args : {};
  const output = outputOf(result ?? null, status);
  return [
    { role: "assistant", content: [{ type: "tool-call", ...call, input }] },
    { role: "tool", content: [{ type: "tool-result", ...call, output }] },
  ];
}

function outputOf(result: Json, status: Json | undefined): ToolResultPart["output"] {
  if (status === "completed") return { type: "text", value: textOf(result) };
  const value = result === null ? "The run ended before there was a result." : textOf(result);
  return { type: "error-text", value };
}

function fromSystem({ notice, text }: MessageContent): readonly ModelMessage[] {
  return typeof notice === "string" && EXPLANATORY.has(notice) && typeof text === "string"
    ? [note(text)]
    : [];
}

/** Notices that explain why the messages before them end abruptly. */
const EXPLANATORY: ReadonlySet<string> = new Set([
  "run_cancelled",
  "run_failed",
  "run_interrupted",
]);

const MAX_RESULT = 100_000;

function textOf(value: Json): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MAX_RESULT ? `${text.slice(0, MAX_RESULT)} […]` : text;
}

function assistantText(text: string): AssistantModelMessage {
  return { role: "assistant", content: [{ type: "text", text }] };
}

/** A message with several parts has the type `parts`. */
function partsOf(content: MessageContent): readonly MessageContent[] {
  const { parts } = content;
  return content.type === "parts" && Array.isArray(parts) ? parts.filter(isContent) : [content];
}

function isContent(part: Json): part is MessageContent {
  return isObject(part) && typeof part["type"] === "string";
}
