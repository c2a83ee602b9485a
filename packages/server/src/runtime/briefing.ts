import type { Message } from "../domain/message.ts";

/** Characters a briefing may have: about 8,000 tokens. */
const MAX_BRIEFING = 32_000;
const MAX_ENTRY = 4_000;

export interface Briefing {
  readonly text: string;
  /** How many of the earlier messages are in it, the newest ones. */
  readonly given: number;
  readonly of: number;
}

/** Earlier messages as a text for an agent that was not there; null when there are none. */
export function briefingOf(history: readonly Message[], heading: string): Briefing | null {
  const entries = history.flatMap((message) => toEntry(message) ?? []);
  if (entries.length === 0) return null;
  const kept: string[] = [];
  let size = 0;
  for (const entry of entries.toReversed()) {
    if (size + entry.length > MAX_BRIEFING) break;
    kept.unshift(entry);
    size += entry.length;
  }
  const cut = entries.length - kept.length;
  const text = [
    heading,
    ...(cut > 0 ? [`[${cut} older messages are left out]`] : []),
    ...kept,
    "[end]",
  ].join("\n\n");
  return { text, given: kept.length, of: entries.length };
}

function toEntry({ role, content }: Message): string | null {
  const words = wordsOf(content);
  if (words === "") return null;
  const who = role === "user" ? "User" : role === "agent" ? "Agent" : "Note";
  const short = words.length > MAX_ENTRY ? `${words.slice(0, MAX_ENTRY)} […]` : words;
  return `${who}: ${short}`;
}

function wordsOf(content: Message["content"]): string {
  const { type, text, tool, title, parts } = content;
  switch (type) {
    case "text":
      return typeof text === "string" ? text : "";
    case "tool":
      return `used ${[title, tool].find((name) => typeof name === "string") ?? "a tool"}`;
    case "parts":
      return Array.isArray(parts) ? JSON.stringify(parts) : "";
    default:
      return "";
  }
}
