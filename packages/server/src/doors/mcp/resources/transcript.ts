import { authorOf, type Message, type Session } from "@holdfast/protocol";
import type { Call } from "../surface.ts";

/** Characters of a transcript. Longer conversations are given from their end. */
const MAX_LENGTH = 256 * 1024;
const PAGE = 100;

/** The conversation as Markdown, or its end. */
export async function readTranscript(
  sessionId: string,
  { caller, signal }: Pick<Call, "caller" | "signal">,
): Promise<string> {
  const session = await caller.ask(
    ({ sessions }) => sessions.get(sessionId, { tail: PAGE, signal }),
    signal,
  );
  let { messages, earlier } = session;
  const parts: string[] = [];
  let length = 0;
  for (;;) {
    for (const message of messages.toReversed()) {
      const part = describe(message);
      if (part === null) continue;
      if (length + part.length > MAX_LENGTH)
        return whole(session, [CUT, ...(parts.length === 0 ? [part.slice(0, MAX_LENGTH)] : parts)]);
      parts.unshift(part);
      length += part.length;
    }
    const [oldest] = messages;
    if (earlier === 0 || oldest === undefined) return whole(session, parts);
    const page = await caller.ask(
      ({ sessions }) =>
        sessions.messages(sessionId, { before: oldest.seq, limit: PAGE }, { signal }),
      signal,
    );
    messages = page.messages;
    earlier = messages.length < PAGE ? 0 : earlier;
    if (messages.length === 0) return whole(session, parts);
  }
}

const CUT = "_Earlier messages are left out. The tool read_history finds them._";

function whole({ id, title }: Pick<Session, "id" | "title">, parts: readonly string[]): string {
  return [`# ${title ?? "Session"}`, `Session ${id}`, ...parts].join("\n\n") + "\n";
}

const NAMES = { user: "User", agent: "Agent", system: "Notice" } as const;

/** Null for what people do not see as part of the conversation. */
function describe(message: Message): string | null {
  const text = textOf(message.content as Readonly<Record<string, unknown>>);
  return text === null ? null : `## ${NAMES[authorOf(message)]}, ${message.timestamp}\n\n${text}`;
}

function textOf(content: Readonly<Record<string, unknown>>): string | null {
  switch (content["type"]) {
    case "text":
      return stringIn(content["text"]);
    case "parts": {
      const parts = Array.isArray(content["parts"]) ? content["parts"] : [];
      return parts.map(partText).join("\n") || null;
    }
    case "tool": {
      const name = stringIn(content["title"]) ?? stringIn(content["tool"]) ?? "a tool";
      return `Used ${name} (${stringIn(content["status"]) ?? "unknown"})`;
    }
    case "plan":
      return `Plan:\n\n\`\`\`json\n${JSON.stringify(content["steps"], null, 2)}\n\`\`\``;
    default:
      return null;
  }
}

function partText(part: unknown): string {
  const { type, text } = (part ?? {}) as { readonly type?: unknown; readonly text?: unknown };
  return stringIn(text) ?? `(${stringIn(type) ?? "something"})`;
}

function stringIn(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
