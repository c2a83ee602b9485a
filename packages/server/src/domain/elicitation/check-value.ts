import { isArray, type Json } from "../json.ts";
import type { Field, Format } from "./form.ts";

/** Whether a text contains a match of a pattern; `unknown` if the pattern cannot be checked. */
export type Matcher = (pattern: string, text: string) => "yes" | "no" | "unknown";

/** What is wrong with the value of a field, as the end of a sentence that begins with its name; null if nothing is. */
export function checkValue(field: Field, value: Json, matches: Matcher): string | null {
  switch (field.type) {
    case "string":
      return typeof value === "string" ? checkText(field, value, matches) : "must be a text";
    case "choice":
      return typeof value === "string" && field.options.includes(value)
        ? null
        : `must be one of ${listed(field.options)}`;
    case "choices":
      return checkChoices(field, value);
    case "number":
    case "integer":
      return checkNumber(field, value);
    case "boolean":
      return typeof value === "boolean" ? null : "must be true or false";
    case "unknown":
      return "has a type that cannot be answered; leave it out";
    default:
      return field satisfies never;
  }
}

function checkText(
  { minLength, maxLength, pattern, format }: Extract<Field, { type: "string" }>,
  text: string,
  matches: Matcher,
): string | null {
  const length = minLength === null && maxLength === null ? 0 : lengthOf(text);
  if (minLength !== null && length < minLength)
    return `must have at least ${counted(minLength, "character")}`;
  if (maxLength !== null && length > maxLength)
    return `must have at most ${counted(maxLength, "character")}`;
  if (format !== null && !FORMAT_CHECKS[format](text)) return FORMAT_WORDS[format];
  if (pattern !== null && matches(pattern, text) === "no")
    return `must match the pattern ${pattern.slice(0, 200)}`;
  return null;
}

function checkNumber(
  { type, minimum, maximum }: Extract<Field, { type: "number" | "integer" }>,
  value: Json,
): string | null {
  if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number";
  if (type === "integer" && !Number.isInteger(value)) return "must be a whole number";
  if (minimum !== null && value < minimum) return `must be at least ${minimum}`;
  if (maximum !== null && value > maximum) return `must be at most ${maximum}`;
  return null;
}

function checkChoices(
  { options, minItems, maxItems }: Extract<Field, { type: "choices" }>,
  value: Json,
): string | null {
  if (!isArray(value)) return `must be a list of ${listed(options)}`;
  const known = new Set<Json>(options);
  if (!value.every((item) => known.has(item))) return `may only contain ${listed(options)}`;
  if (new Set(value).size < value.length) return "contains a choice twice";
  if (minItems !== null && value.length < minItems)
    return `must have at least ${counted(minItems, "choice")}`;
  if (maxItems !== null && value.length > maxItems)
    return `may have at most ${counted(maxItems, "choice")}`;
  return null;
}

/** As JSON Schema counts: an emoji is one character. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/u;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-]([01]\d|2[0-3]):[0-5]\d)$/iu;

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day >= 1 && day <= days;
}

const FORMAT_CHECKS = {
  email: (text) => text.length <= 320 && /^[^\s@]+@[^\s@]+$/u.test(text),
  uri: (text) => /^[a-z][a-z\d+.-]*:[^\s]+$/iu.test(text),
  date: isDate,
  "date-time": (text) =>
    /^t$/iu.test(text[10] ?? "") && isDate(text.slice(0, 10)) && TIME.test(text.slice(11)),
} as const satisfies Record<Format, (text: string) => boolean>;

const FORMAT_WORDS = {
  email: "must be an email address",
  uri: "must be a URI, such as https://example.com",
  date: "must be a date, such as 2026-01-31",
  "date-time": "must be a time with a zone, such as 2026-01-31T12:00:00Z",
} as const satisfies Record<Format, string>;

const SHOWN_OPTIONS = 10;

function listed(options: readonly string[]): string {
  const shown = options
    .slice(0, SHOWN_OPTIONS)
    .map((option) => JSON.stringify(option.slice(0, 80)));
  const more = options.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
