import type { StatsQuery } from "@holdfast/protocol";
import type { PageSearch } from "../app/place.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const USUAL = "30d";

/** Periods that end now. */
const LENGTHS_MS = {
  "24h": DAY_MS,
  "7d": 7 * DAY_MS,
  "30d": 30 * DAY_MS,
  "90d": 90 * DAY_MS,
} as const;

type Length = keyof typeof LENGTHS_MS;

/** The period of the figures. */
export type Range =
  | { readonly is: Length | "all" }
  /** From the first day to the last one, both included, in UTC. */
  | { readonly is: "days"; readonly first: string; readonly last: string };

export const RANGE_NAMES = {
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
  all: "All",
  days: "Custom",
} as const satisfies Record<Range["is"], string>;

/** Ignores invalid values: an edited URL is no error. */
export function parseRange({ range, from, to }: PageSearch): Range {
  if (from !== undefined && to !== undefined && problemOf(from, to) === null)
    return { is: "days", first: from, last: to };
  if (range === "all") return { is: "all" };
  return { is: range !== undefined && isLength(range) ? range : USUAL };
}

export function toSearch(range: Range): PageSearch {
  if (range.is === "days") return { from: range.first, to: range.last };
  return range.is === USUAL ? {} : { range: range.is };
}

export function toStatsQuery(range: Range, nowMs: number): StatsQuery {
  switch (range.is) {
    case "all":
      return {};
    case "days":
      return { from: range.first, to: dayOf(Date.parse(range.last) + DAY_MS) };
    default:
      return { from: new Date(nowMs - LENGTHS_MS[range.is]).toISOString() };
  }
}

/** The period as days, or the default period when it has no first day. */
export function daysOf(range: Range, nowMs: number): Extract<Range, { is: "days" }> {
  if (range.is === "days") return range;
  const length = LENGTHS_MS[range.is === "all" ? USUAL : range.is];
  return { is: "days", first: dayOf(nowMs - length), last: dayOf(nowMs) };
}

/** Why the days are invalid; null when they are valid. */
export function problemOf(first: string, last: string): string | null {
  if (!isDay(first)) return "The first day is not a date.";
  if (!isDay(last)) return "The last day is not a date.";
  return first > last ? "The last day is before the first." : null;
}

function isLength(text: string): text is Length {
  return Object.hasOwn(LENGTHS_MS, text);
}

function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/u.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && dayOf(time) === text;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
