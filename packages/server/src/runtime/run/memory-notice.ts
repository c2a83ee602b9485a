import type { RunMemory } from "../../domain/run.ts";

/**
 * The notice in the transcript when a new agent continues a session. Null for the first agent of a session, and for one
 * that resumed its own session.
 */
export function memoryNotice({
  memory,
  provider,
  before,
}: {
  readonly memory: RunMemory;
  readonly provider: string;
  /** The provider of the run before this one; null when there was none. */
  readonly before: string | null;
}): string | null {
  if (before === null) return null;
  const knows = whatItKnows(memory);
  if (provider !== before) return `${provider} goes on in place of ${before}. ${knows}`;
  return memory.how === "briefed" || memory.how === "none"
    ? `A new agent was started. ${knows}`
    : null;
}

function whatItKnows(memory: RunMemory): string {
  switch (memory.how) {
    case "briefed":
      return `It was briefed with ${messagesOf(memory)}.`;
    case "told":
      return `It is given ${messagesOf(memory)}.`;
    case "resumed":
    case "loaded":
      return memory.given === undefined || memory.of === undefined
        ? "It took its own session up again."
        : `It took its own session up again and was told ${countOf(memory.given, memory.of)} since.`;
    case "live":
      return "It was there.";
    case "none":
      return "It knows nothing of what was said before.";
    default:
      return memory satisfies never;
  }
}

function messagesOf({ given, of }: { readonly given: number; readonly of: number }): string {
  return `${given === of ? `all ${of}` : `the last ${given} of ${of}`} earlier messages`;
}

function countOf(given: number, of: number): string {
  if (of === 1) return "the message";
  return given === of ? `all ${of} messages` : `the last ${given} of ${of} messages`;
}
