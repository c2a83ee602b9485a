import type { TextFormat } from "./form.ts";

/** An example of a text in each format. */
export const FORMAT_EXAMPLES = {
  email: "ada@example.com",
  uri: "https://example.com/page",
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
} as const satisfies Record<TextFormat, string>;

const NAMES = {
  email: "an email address",
  uri: "a URI",
  date: "a date",
  "date-time": "a date with time and time zone",
} as const satisfies Record<TextFormat, string>;

/** Null for a text in the format. */
export function formatError(format: TextFormat, text: string): string | null {
  if (isInFormat(format, text)) return null;
  return `Must be ${NAMES[format]}, such as ${FORMAT_EXAMPLES[format]}`;
}

/** Each expression takes linear time. */
function isInFormat(format: TextFormat, text: string): boolean {
  switch (format) {
    case "email":
      return text.length <= 320 && /^[^\s@]+@[^\s@]+$/u.test(text);
    case "uri":
      return /^[a-z][a-z\d+.-]*:[^\s]+$/iu.test(text);
    case "date":
      return isDate(text);
    case "date-time":
      return /^t$/iu.test(text[10] ?? "") && isDate(text.slice(0, 10)) && TIME.test(text.slice(11));
    default:
      return format satisfies never;
  }
}

const TIME =
  /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/u;

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(Date.UTC(2000, Number(month) - 1, Number(day)));
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}
