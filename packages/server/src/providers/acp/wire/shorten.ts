import { cleanJson } from "../../../domain/clean-text.ts";
import { isArray, type Json } from "../../../domain/json.ts";

/** The default limit for a tool call's input, its result and its output, each, in bytes of UTF-8. */
export const MAX_BYTES = 256 * 1024;

/** Start and end of a text that grows. */
export interface Excerpt {
  readonly head: string;
  readonly tail: string;
  /** Bytes dropped between the two. */
  readonly dropped: number;
}

export const EMPTY_EXCERPT: Excerpt = { head: "", tail: "", dropped: 0 };

/** Keeps start and end of a text that is too long, with a note of how much is missing between them. */
export function shortenText(text: string | Excerpt, limit = MAX_BYTES): string {
  const { first, last, missing } = excerptOf(text, limit);
  if (missing === 0) return first + last;
  return `${first}\n[… ${missing.toLocaleString("en")} bytes left out …]\n${last}`;
}

/** The number of bytes that `shortenText` leaves out. */
export function omittedBytes(text: string | Excerpt, limit = MAX_BYTES): number {
  return excerptOf(text, limit).missing;
}

function excerptOf(
  text: string | Excerpt,
  limit: number,
): { readonly first: string; readonly last: string; readonly missing: number } {
  const { head, tail, dropped } =
    typeof text === "string" ? { ...EMPTY_EXCERPT, head: text } : text;
  const length = head.length + tail.length;
  const whole = { first: head, last: tail, missing: 0 };
  if (dropped === 0 && length * 3 <= limit) return whole;
  const total = Buffer.byteLength(head) + Buffer.byteLength(tail);
  if (dropped === 0 && total <= limit) return whole;

  const half = Math.max(0, Math.floor((limit - NOTE_BYTES) / 2));
  const first = firstBytes(dropped === 0 ? head + tail : head, half);
  const last = lastBytes(dropped === 0 ? head + tail : tail, half);
  const missing = dropped + total - Buffer.byteLength(first) - Buffer.byteLength(last);
  return { first, last, missing };
}

/** Shortens the texts in JSON until the whole is small enough. */
export function shortenJson(value: unknown, limit = MAX_BYTES): Json {
  // Checked at the depth it will have in a message: a message that is nested too deeply would be refused.
  const nested = cleanJson([[[[value]]]]);
  const clean = cleanJson(value);
  if (!nested.ok || !clean.ok) return "[left out: nested too deeply, or not JSON]";
  const json = clean.value;
  if (sizeOf(json) <= limit) return json;
  for (let longest = limit; longest >= SHORTEST_TEXT; longest = Math.floor(longest / 4)) {
    const shorter = shortenTexts(json, longest);
    if (sizeOf(shorter) <= limit) return shorter;
  }
  return shortenText(JSON.stringify(json), Math.floor(limit / 2));
}

/** Appends text without holding much more than `shortenText` will keep. */
export function appendText(
  { head, tail, dropped }: Excerpt,
  more: string,
  limit = MAX_BYTES,
): Excerpt {
  if (tail === "" && head.length + more.length <= limit)
    return { head: head + more, tail, dropped };
  const longer = tail + more;
  if (longer.length <= 2 * limit) return { head, tail: longer, dropped };
  const excess = longer.slice(0, longer.length - limit);
  return { head, tail: longer.slice(-limit), dropped: dropped + Buffer.byteLength(excess) };
}

const NOTE_BYTES = 64;
const SHORTEST_TEXT = 64 + NOTE_BYTES;

function shortenTexts(json: Json, longest: number): Json {
  if (typeof json === "string") return shortenText(json, longest);
  if (json === null || typeof json !== "object") return json;
  if (isArray(json)) return json.map((item) => shortenTexts(item, longest));
  return Object.fromEntries(
    Object.entries(json).map(([key, item]) => [key, shortenTexts(item, longest)]),
  );
}

function sizeOf(json: Json): number {
  return Buffer.byteLength(JSON.stringify(json));
}

function firstBytes(text: string, bytes: number): string {
  const buffer = Buffer.from(text.slice(0, bytes));
  let end = Math.min(bytes, buffer.length);
  while (end > 0 && end < buffer.length && isContinuation(buffer[end])) end -= 1;
  return buffer.toString("utf8", 0, end);
}

function lastBytes(text: string, bytes: number): string {
  const buffer = Buffer.from(bytes === 0 ? "" : text.slice(-bytes));
  let start = Math.max(0, buffer.length - bytes);
  while (start < buffer.length && isContinuation(buffer[start])) start += 1;
  return buffer.toString("utf8", start);
}

/** In UTF-8, the bytes of a character after its first have the form 10xxxxxx. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
