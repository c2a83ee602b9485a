import { authorOf, isOfSubagent, type Message, type Role } from "../../domain/message.ts";
import type { Limits } from "../context.ts";

/** Approximate number of characters per token. */
const CHARACTERS_PER_TOKEN = 4;
/** The share of the budget that a single message may take. */
const ENTRY_SHARE = 1 / 8;

export type BriefingLimits = Pick<Limits, "briefingTokens" | "briefingMessages">;

export interface Briefing {
  readonly text: string;
  /** The number of earlier messages in the text: the newest ones. */
  readonly given: number;
  readonly of: number;
}

/** Earlier messages as a text for an agent that does not know them; null when there are none. */
export function briefingOf(
  history: readonly Message[],
  heading: string,
  limits: BriefingLimits,
): Briefing | null {
  const budget = limits.briefingTokens * CHARACTERS_PER_TOKEN;
  const entries = history.flatMap((message) => toEntry(message, budget * ENTRY_SHARE) ?? []);
  if (entries.length === 0) return null;
  const newest: string[] = [];
  let size = 0;
  for (const entry of entries.toReversed()) {
    if (size + entry.length > budget || newest.length === limits.briefingMessages) break;
    newest.unshift(entry);
    size += entry.length;
  }
  const cut = entries.length - newest.length;
  const text = [
    heading,
    ...(cut > 0 ? [`[${cut} older messages are left out]`] : []),
    ...newest,
    "[end]",
  ].join("\n\n");
  return { text, given: newest.length, of: entries.length };
}

const NAMES: Readonly<Record<Role, string>> = { user: "User", agent: "Agent", system: "Note" };

function toEntry(message: Message, maxLength: number): string | null {
  const words = wordsOf(message.content);
  // The agent saw only what its sub-agents replied, which is in the call.
  if (words === "" || isOfSubagent(message.content)) return null;
  const short = words.length > maxLength ? `${words.slice(0, maxLength)} […]` : words;
  return `${NAMES[authorOf(message)]}: ${short}`;
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
