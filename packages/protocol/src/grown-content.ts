// A file without schemas: the page uses it, and zod must not be part of the page.
import type { MessageContent } from "./message.ts";

/** The content after a delta: it adds to a text, or to the last terminal in the output of a tool call. */
export function grownContent(content: MessageContent, more: string): MessageContent {
  const { output } = content;
  if (content.type !== "tool") return { ...content, text: textIn(content) + more };
  const items: readonly unknown[] = Array.isArray(output) ? output : [];
  const last: unknown = items.at(-1);
  const isTerminal = isRecord(last) && last["type"] === "terminal";
  const grown = isTerminal
    ? { ...last, text: textIn(last) + more }
    : { type: "terminal", text: more };
  return { ...content, output: [...(isTerminal ? items.slice(0, -1) : items), grown] };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function textIn({ text }: Readonly<Record<string, unknown>>): string {
  return typeof text === "string" ? text : "";
}
