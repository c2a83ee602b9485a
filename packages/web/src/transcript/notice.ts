import type { Message } from "@holdfast/protocol";

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
  ["policy", "warning"],
  ["connections", "warning"],
]);

const SEVERITIES: ReadonlyMap<unknown, Tone> = new Map([
  ["warning", "warning"],
  ["error", "failure"],
]);

/** A notice of the server or of the agent's program. */
export function toNotice({ content }: Message): Notice {
  const { notice, severity, detail, code } = content;
  const words = typeof content["text"] === "string" ? content["text"].trim() : content.type;
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
