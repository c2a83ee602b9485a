import type { AssistantModelMessage, ModelMessage, ToolResultPart, UserModelMessage } from "ai";
import { isObject, type Json } from "../../domain/json.ts";
import { authorOf, type Message, type MessageContent } from "../../domain/message.ts";

type UserPart = Exclude<UserModelMessage["content"], string>[number];
type AssistantPart = Exclude<AssistantModelMessage["content"], string>[number];

/** Of an earlier run or this one; what a model cannot use says nothing to it. */
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

/** Neighbours of one role as one message: some models take nothing else. */
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

/** Some APIs would put them together without anything in between. */
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
  // Never fetched from here: an address in a message may lead anywhere.
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
      return typeof text === "string" && text.trim() !== "" ? [said(text)] : [];
    case "tool":
      return fromTool(content, toolNames);
    case "thought":
    case "plan":
      return [];
    default:
      return [said(`[${type}]`)];
  }
}

/** One of the client's tools as a call and its result; another agent's is only told of. */
function fromTool(
  { tool, title, args, result, callId, status }: MessageContent,
  toolNames: ReadonlySet<string>,
): readonly ModelMessage[] {
  const name = typeof tool === "string" ? tool : "a tool";
  const isOwn = toolNames.has(name) && typeof callId === "string" && CALL_ID.test(callId);
  if (!isOwn) {
    const what = typeof title === "string" && title !== name ? `${name} (${title})` : name;
    const came = result === null || result === undefined ? "" : `: ${textOf(result)}`;
    return [said(`[I used ${what}${came}]`)];
  }
  return [
    {
      role: "assistant",
      content: [
        {
          type: "tool-call",
          toolCallId: callId,
          toolName: name,
          input: isObject(args) ? args : {},
        },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: callId,
          toolName: name,
          output: outputOf(result ?? null, status),
        },
      ],
    },
  ];
}

function outputOf(result: Json, status: Json | undefined): ToolResultPart["output"] {
  if (status === "completed") return { type: "text", value: textOf(result) };
  const value = result === null ? "The run ended before there was a result." : textOf(result);
  return { type: "error-text", value };
}

function fromSystem({ notice, text }: MessageContent): readonly ModelMessage[] {
  return typeof notice === "string" && TELLING.has(notice) && typeof text === "string"
    ? [note(text)]
    : [];
}

/** Notices that explain why what comes before them breaks off. */
const TELLING: ReadonlySet<string> = new Set(["run_cancelled", "run_failed", "run_interrupted"]);

/** What every API takes as the name of a call. */
const CALL_ID = /^[A-Za-z0-9_-]{1,64}$/u;
const MAX_RESULT = 100_000;

function textOf(value: Json): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MAX_RESULT ? `${text.slice(0, MAX_RESULT)} […]` : text;
}

function said(text: string): AssistantModelMessage {
  return { role: "assistant", content: [{ type: "text", text }] };
}

/** A message of several parts holds them under `parts`. */
function partsOf(content: MessageContent): readonly MessageContent[] {
  const { parts } = content;
  return content.type === "parts" && Array.isArray(parts) ? parts.filter(isContent) : [content];
}

function isContent(part: Json): part is MessageContent {
  return isObject(part) && typeof part["type"] === "string";
}
