import { isArray, isObject, type Json } from "../../domain/json.ts";
import type { MessageContent } from "../../domain/message.ts";

/** The stored output of a tool call. */
export interface OutputText {
  readonly text: string;
  /** The bytes that were left out when it was stored. The text says where. */
  readonly omittedBytes: number;
}

/** Null if the message is no tool call. */
export function outputText(content: MessageContent): OutputText | null {
  const { type, output = null, result = null } = content;
  if (type !== "tool") return null;
  const items = (isArray(output) ? output : []).filter(isObject);
  const texts = items.flatMap(({ text }) =>
    typeof text === "string" && text !== "" ? [text] : [],
  );
  const omittedBytes = items
    .map(({ omittedBytes: omitted }) => (typeof omitted === "number" ? omitted : 0))
    .reduce((sum, omitted) => sum + omitted, 0);
  return { text: texts.length > 0 ? texts.join("\n") : resultText(result), omittedBytes };
}

function resultText(result: Json): string {
  if (result === null) return "";
  return typeof result === "string" ? result : JSON.stringify(result, null, 2);
}

/** Agents name the file in sentences such as "Full output saved to: /path" or "[… full output saved to /path]". */
const NAMED_FILE = /\bsaved to(?::[^\S\n]*\n?(?:- )?| )(\/[^\n\0]{1,4000}?)\]?(?:\n|$)/giu;
const MAX_NAMED = 5;

/** The files that the output names as the place of the whole output. */
export function namedFiles({ text }: OutputText): readonly string[] {
  const files = new Set<string>();
  for (const match of text.matchAll(NAMED_FILE)) {
    if (files.size === MAX_NAMED) break;
    files.add((match[1] ?? "").trimEnd());
  }
  return [...files];
}
