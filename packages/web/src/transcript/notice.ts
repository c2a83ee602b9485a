import type { Message } from "@holdfast/protocol";
import { authorText } from "../tools/decision.ts";

/** The severity of a notice. */
export type Tone = "quiet" | "warning" | "failure";

export interface Notice {
  readonly tone: Tone;
  /** One line. */
  readonly text: string;
  /** The rest, folded. */
  readonly detail: string | null;
  /** Question and answer of a form: not folded at first. */
  readonly isQuestion: boolean;
}

const TONES: ReadonlyMap<string, Tone> = new Map([
  ["run_failed", "failure"],
  ["session_failed", "failure"],
  ["run_interrupted", "warning"],
  ["run_retried", "warning"],
  ["answer_unused", "warning"],
  ["steering_unknown", "warning"],
  ["policy", "warning"],
  ["connections", "warning"],
]);

const SEVERITIES: ReadonlyMap<unknown, Tone> = new Map([
  ["warning", "warning"],
  ["error", "failure"],
]);

const STOPS: ReadonlyMap<string, string> = new Map([
  // Earlier versions did not store who asked for it.
  ["on request", "Stopped on request"],
  ["from the terminal", "You stopped this run in a terminal"],
  ["interrupted by a new message", "Stopped by a new message"],
  ["the session was archived", "Stopped because the session was archived"],
  ["the budget is used up", "Stopped because the budget is used up"],
]);

/** A request without a reason of its own is stored with its author. */
function stopText(reason: string): string {
  const by = /^on request \((.+)\)$/u.exec(reason)?.[1];
  if (by === undefined) return STOPS.get(reason) ?? `Stopped: ${reason}`;
  const author = authorText(by);
  if (by.startsWith("token: ") || !author.startsWith("you")) return `Stopped by ${author}`;
  return `You stopped this run${author.slice("you".length)}`;
}

/** How the page says what the server has stored. */
const WORDS: ReadonlyMap<string, (stored: string) => string> = new Map([
  ["run_cancelled", (stored: string) => stopText(stored.replace(/^Cancelled: /u, ""))],
  [
    "run_failed",
    (stored: string) =>
      stored
        .replace(/^Failed: /u, "")
        .replace(/^(.+) exited with code (\d+)(?=$|\n)/u, "$1 crashed (exit code $2)")
        .replace(/^(.+) was terminated by (SIG\w+)(?=$|\n)/u, "$1 crashed ($2)"),
  ],
]);

/** A notice of the server or of the agent's program. */
export function toNotice({ content }: Message): Notice {
  const { notice, severity, detail, code } = content;
  const stored = typeof content["text"] === "string" ? content["text"].trim() : content.type;
  const words = typeof notice === "string" ? (WORDS.get(notice)?.(stored) ?? stored) : stored;
  const [first = "", ...others] = words.split("\n");
  const details = [
    others.join("\n").trim(),
    typeof detail === "string" ? detail.trim() : "",
    typeof code === "string" ? `Code: ${code}` : "",
  ].filter((part) => part !== "");
  return {
    tone:
      (typeof notice === "string" ? TONES.get(notice) : undefined) ??
      SEVERITIES.get(severity) ??
      "quiet",
    text: first,
    detail: details.length === 0 ? null : details.join("\n\n"),
    isQuestion: notice === "elicitation",
  };
}
