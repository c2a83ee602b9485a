import { isObject } from "@holdfast/client";
import { pathsIn } from "./outside.ts";
import { visibleText } from "./visible-text.ts";

/** The complete subject of a permission request. */
export interface Subject {
  readonly tool: string | null;
  readonly kind: string | null;
  readonly command: string | null;
  readonly fields: readonly { readonly name: string; readonly text: string }[];
  readonly files: readonly string[];
  /** The files, and the paths in the input. */
  readonly paths: readonly string[];
}

const COMMAND_KEYS = ["command", "cmd", "commands", "script", "shell_command", "shellCommand"];

/** The whole request is shown; nothing is cut or left out. */
export function subjectOf(request: Readonly<Record<string, unknown>>): Subject {
  const { tool, kind, input, locations, description } = request;
  const fields = isObject(input) ? Object.entries(input) : [];
  const commandKey = fields.find(([name, value]) => COMMAND_KEYS.includes(name) && isWords(value));
  const rest = [["description", description] as const, ...fields].filter(
    ([name, value]) => name !== commandKey?.[0] && value !== null && value !== undefined,
  );
  return {
    tool: typeof tool === "string" ? visibleText(tool) : null,
    kind: typeof kind === "string" ? visibleText(kind) : null,
    command: commandKey === undefined ? bareInput(input) : commandText(commandKey),
    fields: rest.map(([name, value]) => ({
      name: visibleText(name),
      text: valueText(value),
    })),
    files: textsIn(locations).map(visibleText),
    paths: [...new Set([...textsIn(locations), ...pathsIn(input)])].map(visibleText),
  };
}

/** Text unchanged, everything else as JSON. */
function valueText(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  return visibleText(text);
}

/** The input of tools that take a plain text or a list. */
function bareInput(input: unknown): string | null {
  if (input === null || input === undefined || input === "" || isObject(input)) return null;
  return valueText(input);
}

function commandText([name, value]: readonly [string, unknown]): string {
  if (typeof value === "string") return visibleText(value);
  const words = textsIn(value);
  return visibleText(name === "commands" ? words.join("\n") : words.map(quoted).join(" "));
}

/** Quotes words with spaces. */
function quoted(word: string): string {
  return /^[\w./:@%+,=-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function isWords(value: unknown): boolean {
  if (typeof value === "string") return value.trim() !== "";
  return (
    Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string")
  );
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
