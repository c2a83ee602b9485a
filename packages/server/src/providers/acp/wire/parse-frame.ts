import { MAX_JSON_DEPTH } from "../../../domain/clean-text.ts";
import { isObject } from "../../../domain/json.ts";

/** One line of an agent's stdout. A line that is not JSON-RPC is noise, such as a log message. */
export type Frame =
  | {
      readonly frame: "request";
      readonly id: RequestId;
      readonly method: string;
      readonly params: unknown;
    }
  | { readonly frame: "notification"; readonly method: string; readonly params: unknown }
  | { readonly frame: "result"; readonly id: RequestId; readonly result: unknown }
  | { readonly frame: "error"; readonly id: RequestId; readonly error: unknown }
  /** Nested too deep or too long; `id` and `method` are read from its top level if possible. */
  | { readonly frame: "unreadable"; readonly id: RequestId | null; readonly method: string | null }
  | { readonly frame: "noise" };

export type RequestId = string | number;

export function parseFrame(line: string): Frame {
  const text = line.trim();
  if (!text.startsWith("{")) return noise;
  if (isTooDeep(text)) return parseUnreadable(text);
  return frameOf(parseJson(text));
}

/** Parses the start of a line that is too long, or a line that is nested too deep. */
export function parseUnreadable(head: string): Frame {
  const top = frameOf(parseJson(topLevelOf(head)));
  if (top.frame === "noise") return noise;
  return {
    frame: "unreadable",
    id: "id" in top ? top.id : null,
    method: "method" in top ? top.method : null,
  };
}

function frameOf(value: unknown): Frame {
  if (!isObject(value) || value["jsonrpc"] !== "2.0") return noise;
  const { id, method, params } = value;
  if (typeof method === "string") {
    if (id === undefined) return { frame: "notification", method, params };
    return isRequestId(id) ? { frame: "request", id, method, params } : noise;
  }
  if (!isRequestId(id)) return noise;
  if ("error" in value) return { frame: "error", id, error: value["error"] };
  return "result" in value ? { frame: "result", id, result: value["result"] } : noise;
}

/** Checked before parsing: deeply nested values could overflow the stack later. */
function isTooDeep(text: string): boolean {
  if (!hasMoreOpenings(text, MAX_JSON_DEPTH)) return false;
  let depth = 0;
  for (const { opens } of brackets(text)) {
    depth += opens ? 1 : -1;
    if (depth > MAX_JSON_DEPTH) return true;
  }
  return false;
}

/** Most lines have few brackets. Counting these is faster than following their nesting. */
function hasMoreOpenings(text: string, limit: number): boolean {
  let count = 0;
  for (const bracket of ["{", "["]) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if ((count += 1) > limit) return true;
    }
  }
  return false;
}

/** The object with `null` in place of nested values, even if its end is missing. */
function topLevelOf(text: string): string {
  let depth = 0;
  let top = "";
  let from = 0;
  for (const { opens, at } of brackets(text)) {
    if (opens && depth === 1) top += text.slice(from, at);
    depth += opens ? 1 : -1;
    if (!opens && depth === 1) {
      top += "null";
      from = at + 1;
    }
    if (depth === 0) return top + text.slice(from, at + 1);
  }
  return depth > 1 ? `${top}null}` : `${top}${text.slice(from)}}`;
}

function* brackets(text: string): Generator<{ readonly opens: boolean; readonly at: number }> {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) yield { opens: true, at };
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) yield { opens: false, at };
  }
}

function endOfString(text: string, begin: number): number {
  for (let at = begin + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}

const noise: Frame = { frame: "noise" };
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
