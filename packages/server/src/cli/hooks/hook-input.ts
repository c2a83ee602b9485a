import { cleanJson } from "../../domain/clean-text.ts";
import { isObject, type Json, type JsonObject } from "../../domain/json.ts";

/** The stdin of a hook, which may never end. */
export type HookStdin = AsyncIterable<string | Uint8Array> & {
  readonly isTTY?: boolean | undefined;
  destroy?(): unknown;
};

export const INPUT_REFUSALS = [
  "input_empty",
  "input_not_json",
  "input_not_object",
  "input_too_deep",
  "input_too_large",
  "input_unreadable",
] as const;
export type InputRefusal = (typeof INPUT_REFUSALS)[number];

export type HookInput =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly reason: InputRefusal };

export const MAX_INPUT_BYTES = 1024 * 1024;
/** Read and discarded, so that a caller that writes too much gets no broken pipe. */
const MAX_DRAINED_BYTES = 16 * MAX_INPUT_BYTES;

/**
 * Reads one JSON object. It does not wait for the end of stdin, since some callers leave it open or close it late, and
 * it does not read from a terminal.
 */
export async function readHookInput(stdin: HookStdin): Promise<HookInput> {
  if (stdin.isTTY === true) return refuse("input_empty");
  const chunks: Uint8Array[] = [];
  const parse = (): HookInput => parseHookInput(new TextDecoder().decode(Buffer.concat(chunks)));
  let bytes = 0;
  try {
    for await (const chunk of stdin) {
      const piece = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      bytes += piece.byteLength;
      if (bytes > MAX_DRAINED_BYTES) break;
      if (bytes > MAX_INPUT_BYTES) continue;
      chunks.push(piece);
      const whole = piece.at(-1) === CLOSING_BRACE || piece.at(-1) === NEWLINE ? parse() : null;
      if (whole?.ok === true) return whole;
    }
  } catch {
    return refuse("input_unreadable");
  }
  if (bytes > MAX_INPUT_BYTES) return refuse("input_too_large");
  return parse();
}

const CLOSING_BRACE = 0x7d;
const NEWLINE = 0x0a;

function parseHookInput(text: string): HookInput {
  if (text.trim() === "") return refuse("input_empty");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse("input_not_json");
  }
  if (!isObject(value)) return refuse("input_not_object");
  const cleaned = cleanJson(value);
  if (!cleaned.ok) return refuse("input_too_deep");
  return isObject(cleaned.value) ? { ok: true, value: cleaned.value } : refuse("input_not_object");
}

/** The object under a key; empty when there is none. */
export function objectIn(object: JsonObject, key: string): JsonObject {
  const value = fieldOf(object, key);
  return isObject(value) ? value : {};
}

/** Longer than any name. */
const MAX_NAME = 1_000;

/** A name or an ID; null when the field is missing, empty or too long. */
export function nameIn(object: JsonObject, key: string): string | null {
  const name = textIn(object, key)?.trim() ?? "";
  return name === "" || name.length > MAX_NAME ? null : name;
}

export function textIn(object: JsonObject, key: string): string | null {
  const value = fieldOf(object, key);
  return typeof value === "string" ? value : null;
}

export function fieldOf(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function refuse(reason: InputRefusal): HookInput {
  return { ok: false, reason };
}
