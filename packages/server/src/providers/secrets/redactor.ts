import { isObject } from "../../domain/json.ts";
import type { Finder, Part } from "./matcher.ts";

/** What is shown in place of a secret. */
export const REDACTED = "[redacted]";

/** Removes secrets from what an agent says. */
export interface Redactor {
  text(text: string): string;
  /** Removes them from all texts, keys and numbers of a parsed JSON value, which is returned itself if it has none. */
  json<Value>(value: Value): Value;
  /** Removes them from a line that may be JSON, in which letters can be escaped. */
  line(line: string): string;
  /** Removes them from a text that comes in parts, even if a part ends within a secret. */
  next(held: HeldText, more: string): NextText;
  /**
   * The text that is held back, although more could follow. Of a secret it shows less than a quarter, or seven
   * characters.
   */
  release(held: HeldText): NextText;
  /** The length of the longest text that it recognises. */
  readonly longest: number;
}

/** The end of a text with which a secret may begin. It is shorter than the longest form of a secret. */
export interface HeldText {
  readonly raw: string;
  /** The characters of it that have been shown. The others are held back until more text decides. */
  readonly shown: number;
  /** The others are shown as redacted already. */
  readonly isRedacted: boolean;
}

export interface NextText {
  /** To be shown. */
  readonly text: string;
  readonly held: HeldText;
}

export const NOTHING_HELD: HeldText = { raw: "", shown: 0, isRedacted: false };

/** Fewer characters than a matcher looks for are always remembered, but not held back. */
const REMEMBERED = 3;

export function createRedactor(finder: Finder): Redactor {
  const clean = (text: string): string => {
    const whole = withoutNul(text);
    const parts = finder.find(whole);
    return parts.length === 0 ? text : replace(whole, parts);
  };

  const cleanNumber = (value: number): number | string => {
    const text = String(value);
    const without = clean(text);
    return without === text ? value : without;
  };

  const cleanItems = (items: readonly unknown[]): readonly unknown[] => {
    let copy: unknown[] | null = null;
    for (let at = 0; at < items.length; at += 1) {
      const item = cleanAll(items[at]);
      if (item !== items[at]) (copy ??= [...items])[at] = item;
    }
    return copy ?? items;
  };

  const cleanFields = (fields: Readonly<Record<string, unknown>>): object => {
    let copy: [string, unknown][] | null = null;
    let count = 0;
    for (const key in fields) {
      const [cleanKey, item] = [clean(key), cleanAll(fields[key])];
      if (cleanKey !== key || item !== fields[key]) copy ??= Object.entries(fields).slice(0, count);
      copy?.push([cleanKey, item]);
      count += 1;
    }
    return copy === null ? fields : Object.fromEntries(copy);
  };

  const cleanAll = (value: unknown): unknown => {
    if (typeof value === "string") return clean(value);
    if (typeof value === "number") return Math.abs(value) >= 1e7 ? cleanNumber(value) : value;
    if (Array.isArray(value)) return cleanItems(value);
    return isObject(value) ? cleanFields(value) : value;
  };

  function json<Value>(value: Value): Value;
  function json(value: unknown): unknown {
    return cleanAll(value);
  }

  /** Whether no secret is in this text, begins at its end, or began at the end of the text before. */
  const isPlain = ({ raw, shown }: HeldText, more: string): boolean =>
    raw.length === REMEMBERED &&
    shown === REMEMBERED &&
    more.length > REMEMBERED &&
    !more.includes("\0") &&
    !finder.mayGoOn(raw, more) &&
    finder.find(more).length === 0 &&
    finder.beginning(more) === null;

  const next = (before: HeldText, more: string): NextText => {
    if (isPlain(before, more)) {
      const raw = more.slice(-REMEMBERED);
      return { text: more, held: { raw, shown: REMEMBERED, isRedacted: false } };
    }
    const { raw, shown, isRedacted } = before;
    const text = withoutNul(raw + more);
    const parts = finder.find(text);
    const end = parts.at(-1)?.end ?? 0;
    const begun = finder.beginning(end === 0 ? text : text.slice(end));
    if (begun === null) {
      const rest = text.slice(Math.max(end, text.length - REMEMBERED));
      const isKnown = isRedacted && parts[0]?.start === 0;
      return {
        text: parts.length === 0 ? text.slice(shown) : replace(text, parts, { shown, isKnown }),
        held: { raw: rest, shown: rest.length, isRedacted: false },
      };
    }
    const start = end + begun.start;
    const isKnown = isRedacted && (start === 0 || parts[0]?.start === 0);
    return {
      text: replace(text.slice(0, start), parts, { shown, isKnown }),
      held: {
        raw: text.slice(start),
        shown: Math.max(0, shown - start),
        isRedacted: isRedacted && start === 0,
      },
    };
  };

  let latest = { held: NOTHING_HELD, more: "", size: 0, next: { text: "", held: NOTHING_HELD } };

  return {
    text: clean,
    json,
    line: (line) => {
      const text = clean(line);
      // A search for one character is much faster than one for a text.
      if (!text.includes("\\") || !text.includes(ESCAPED)) return text;
      const readable = unescape(text);
      const without = clean(readable);
      return without === readable ? text : without;
    },
    next: (held, more) => {
      // The journal and the transcript ask for the same text, one after the other.
      const { size } = finder;
      if (more !== latest.more || size !== latest.size || !isSame(held, latest.held))
        latest = { held, more, size, next: next(held, more) };
      return latest.next;
    },
    release: (held) => {
      const { raw, shown, isRedacted } = held;
      if (shown === raw.length) return { text: "", held };
      const isTelling = isRedacted || finder.beginning(raw)?.isTelling === true;
      const text = isTelling ? REDACTED : raw.slice(shown);
      return {
        text: isRedacted ? "" : text,
        held: { raw, shown: raw.length, isRedacted: isTelling },
      };
    },
    get longest() {
      return finder.longest;
    },
  };
}

function isSame(left: HeldText, right: HeldText): boolean {
  return (
    left.raw === right.raw && left.shown === right.shown && left.isRedacted === right.isRedacted
  );
}

/**
 * A text with its secrets replaced, without its beginning that has been shown. If that ends within a secret that is shown
 * as redacted already, nothing more is shown of it.
 */
function replace(
  text: string,
  parts: readonly Part[],
  { shown = 0, isKnown = false } = {},
): string {
  let result = "";
  let at = shown;
  for (const { start, end } of parts) {
    if (end <= at) continue;
    if (start >= at) result += text.slice(at, start) + REDACTED;
    else if (!isKnown) result += REDACTED;
    at = end;
  }
  return result + text.slice(at);
}

/** Databases get no NUL, so a secret with NULs inside would become whole after it was searched for. */
function withoutNul(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "") : text;
}

const ESCAPED = String.raw`\u`;

/** Writes characters that JSON need not escape as they are, and others in their usual way, also in JSON within JSON. */
function unescape(line: string): string {
  return line.replaceAll(/(\\+)u([0-9a-f]{4})/giu, (all: string, slashes: string, hex: string) => {
    const code = Number.parseInt(hex, 16);
    if (code === 0x22) return `${slashes}"`;
    if (code === 0x5c) return slashes + slashes;
    if (code >= 0x20) return String.fromCharCode(code);
    const letter = LETTERS.get(code);
    return letter === undefined ? all : slashes + letter;
  });
}

const LETTERS: ReadonlyMap<number, string> = new Map([
  [0x08, "b"],
  [0x09, "t"],
  [0x0a, "n"],
  [0x0c, "f"],
  [0x0d, "r"],
]);
