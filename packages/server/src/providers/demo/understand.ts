import type { AgentCommand } from "../provider-description.ts";

/** The requests that the demo agent understands. */
export type Wish =
  | { readonly wish: PlainWish | "explain" | "go on" }
  | { readonly wish: "read"; readonly path: string | null }
  | { readonly wish: "edit"; readonly note: string }
  | { readonly wish: "count"; readonly to: number }
  | { readonly wish: "remember"; readonly text: string };

/** Requests without an argument. */
type PlainWish = "plan" | "run" | "think" | "recall" | "crash";

/** Slash commands, for users who do not want to guess words. */
export const DEMO_COMMANDS: readonly AgentCommand[] = [
  { name: "help", description: "Show what the demo can do", hint: null },
  { name: "plan", description: "Work through a plan", hint: null },
  { name: "read", description: "Read a file of the repository", hint: "README.md" },
  { name: "edit", description: "Add a line to HOLDFAST-DEMO.md, after asking", hint: "a line" },
  { name: "run", description: "Run git status, after asking", hint: null },
  { name: "count", description: "Count slowly: try cancelling or reconnecting", hint: "20" },
  { name: "think", description: "Think first, then answer", hint: null },
  { name: "remember", description: "Remember something", hint: "what to remember" },
  { name: "recall", description: "Show what it remembers", hint: null },
  { name: "crash", description: "Crash in the middle of a sentence", hint: null },
];

const DEFAULT_COUNT = 20;
const MAX_COUNT = 1_000;

/** Finds the wish by keywords; the fallback is an explanation of the demo. */
export function understand(message: string): Wish {
  const text = message.trim();
  const command = /^\/(\w+)\s*(.*)$/su.exec(text);
  return (
    (command === null ? null : byCommand(command[1] ?? "", (command[2] ?? "").trim())) ??
    byWords(text)
  );
}

function byCommand(name: string, rest: string): Wish | null {
  switch (name) {
    case "help":
      return { wish: "explain" };
    case "read":
      return { wish: "read", path: rest === "" ? null : rest };
    case "edit":
      return { wish: "edit", note: noteOf(rest) };
    case "count":
      return { wish: "count", to: countOf(rest) };
    case "remember":
      return { wish: "remember", text: rest };
    case "plan":
    case "run":
    case "think":
    case "recall":
    case "crash":
      return { wish: name };
    default:
      return null;
  }
}

/** Specific words come first, common words last. */
function byWords(text: string): Wish {
  if (/\bgo on\b|\bcontinue\b|\bcarry on\b/iu.test(text)) return { wish: "go on" };
  if (/\bcrash\b/iu.test(text)) return { wish: "crash" };
  if (/\bwhat (did|have) (i|we)\b|\bdo you (still )?(remember|know)\b|\brecall\b/iu.test(text))
    return { wish: "recall" };
  const remember = /^\W*(?:please\s+)?remember\b[\s:,]*(?:that\s+)?(.+)/isu.exec(text);
  if (remember !== null) return { wish: "remember", text: (remember[1] ?? "").trim() };
  if (/\bcount\b|\bslow(ly)?\b/iu.test(text)) return { wish: "count", to: countOf(text) };
  if (/\bthink\b/iu.test(text)) return { wish: "think" };
  if (/\bplan\b/iu.test(text)) return { wish: "plan" };
  if (/\btests?\b|\brun\b|\bgit status\b|\bexecute\b/iu.test(text)) return { wish: "run" };
  if (/\b(edit|write|change|note|append|add)\b/iu.test(text))
    return { wish: "edit", note: noteOf(text) };
  if (/\b(read|open|show|look|list)\b/iu.test(text)) return { wish: "read", path: pathIn(text) };
  return { wish: "explain" };
}

function countOf(text: string): number {
  const count = Number(/\d+/u.exec(text)?.[0] ?? DEFAULT_COUNT);
  return Math.min(Math.max(count, 1), MAX_COUNT);
}

/** The line to write: the quoted text, or the text after a colon, or the whole request. */
function noteOf(text: string): string {
  const quoted = /["“”'`]([^"“”'`]{1,200})["“”'`]/u.exec(text)?.[1];
  const note = quoted ?? /:\s*(\S.*)$/su.exec(text)?.[1] ?? text;
  const line = note.replaceAll(/\s+/gu, " ").trim().slice(0, 200);
  return line === "" ? "A line from the demo agent." : line;
}

/** The first word that looks like a path. */
function pathIn(text: string): string | null {
  const words = text.split(/[\s,;:!?"“”'`]+/u).map((word) => word.replace(/\.+$/u, ""));
  return words.find((word) => /[./]/u.test(word) && /\w/u.test(word)) ?? null;
}
