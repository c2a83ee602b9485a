import { cleanJson } from "../../../domain/clean-text.ts";
import type { Json } from "../../../domain/json.ts";

/** How much of a tool call's input, of its result and of its output is kept, each; counted in UTF-8. */
export const KEPT_BYTES = 256 * 1024;

/** A text that was shortened on the way in, or may still be. */
export interface Pieces {
  readonly head: string;
  readonly tail: string;
  /** Bytes already left out between the two. */
  readonly leftOut: number;
}

export const NO_PIECES: Pieces = { head: "", tail: "", leftOut: 0 };

/** Beginning and end of a text that is too long, with a note between them of how much is missing. */
export function keepText(text: string | Pieces, limit = KEPT_BYTES): string {
  const { head, tail, leftOut } =
    typeof text === "string" ? { head: text, tail: "", leftOut: 0 } : text;
  const whole = head.length + tail.length;
  if (leftOut === 0 && whole * 3 <= limit) return head + tail;
  const total = Buffer.byteLength(head) + Buffer.byteLength(tail);
  if (leftOut === 0 && total <= limit) return head + tail;

  const half = Math.max(0, Math.floor((limit - NOTE_BYTES) / 2));
  const first = firstBytes(leftOut === 0 ? head + tail : head, half);
  const last = lastBytes(leftOut === 0 ? head + tail : tail, half);
  const missing = leftOut + total - Buffer.byteLength(first) - Buffer.byteLength(last);
  return `${first}${leftOutNote(missing)}${last}`;
}

/** JSON whose long texts are shortened until the whole is small enough. */
export function keepJson(value: unknown, limit = KEPT_BYTES): Json {
  // Judged as deep as it will lie in a message, so that the message is not refused for its sake.
  const judged = cleanJson([[[[value]]]]);
  const cleaned = cleanJson(value);
  if (!judged.ok || !cleaned.ok) return "[left out: nested too deeply, or not JSON]";
  const json = cleaned.value;
  if (sizeOf(json) <= limit) return json;
  for (let longest = limit; longest >= SHORTEST_TEXT; longest = Math.floor(longest / 4)) {
    const shorter = shortenTexts(json, longest);
    if (sizeOf(shorter) <= limit) return shorter;
  }
  return keepText(JSON.stringify(json), Math.floor(limit / 2));
}

/** Takes up text as it arrives without ever holding much more than will be kept. */
export function appendPieces(pieces: Pieces, more: string): Pieces {
  const { head, tail, leftOut } = pieces;
  if (tail === "" && head.length + more.length <= KEPT_BYTES)
    return { head: head + more, tail, leftOut };
  const longer = tail + more;
  if (longer.length <= 2 * KEPT_BYTES) return { head, tail: longer, leftOut };
  const dropped = longer.slice(0, longer.length - KEPT_BYTES);
  return {
    head,
    tail: longer.slice(-KEPT_BYTES),
    leftOut: leftOut + Buffer.byteLength(dropped),
  };
}

const NOTE_BYTES = 64;
const SHORTEST_TEXT = 64 + NOTE_BYTES;

function leftOutNote(bytes: number): string {
  return `\n[… ${bytes.toLocaleString("en")} bytes left out …]\n`;
}

function shortenTexts(json: Json, longest: number): Json {
  if (typeof json === "string") return keepText(json, longest);
  if (json === null || typeof json !== "object") return json;
  if (isList(json)) return json.map((item) => shortenTexts(item, longest));
  return Object.fromEntries(
    Object.entries(json).map(([key, item]) => [key, shortenTexts(item, longest)]),
  );
}

function isList(json: Json): json is readonly Json[] {
  return Array.isArray(json);
}

function sizeOf(json: Json): number {
  return Buffer.byteLength(JSON.stringify(json));
}

function firstBytes(text: string, bytes: number): string {
  const buffer = Buffer.from(text.slice(0, bytes));
  let end = Math.min(bytes, buffer.length);
  while (end > 0 && end < buffer.length && isInsideCharacter(buffer[end])) end -= 1;
  return buffer.toString("utf8", 0, end);
}

function lastBytes(text: string, bytes: number): string {
  const buffer = Buffer.from(bytes === 0 ? "" : text.slice(-bytes));
  let start = Math.max(0, buffer.length - bytes);
  while (start < buffer.length && isInsideCharacter(buffer[start])) start += 1;
  return buffer.toString("utf8", start);
}

/** UTF-8 continues a character with bytes of the form 10xxxxxx. */
function isInsideCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
