import { describe, expect, it } from "vitest";
import { daysOf, parseRange, toSearch, toStatsQuery, problemOf } from "./range.ts";

const NOW = Date.parse("2026-03-10T12:30:00.000Z");
const january = { is: "days", first: "2026-01-01", last: "2026-01-31" } as const;

describe("the period of the figures", () => {
  it.each([
    ["the usual when nothing is said", {}, { is: "30d" }],
    ["a length until now", { range: "7d" }, { is: "7d" }],
    ["everything", { range: "all" }, { is: "all" }],
    ["days", { from: "2026-01-01", to: "2026-01-31" }, january],
    ["the usual for a length that there is not", { range: "toString" }, { is: "30d" }],
    ["the usual for half of the days", { from: "2026-01-01" }, { is: "30d" }],
    [
      "the usual for a day that there is not",
      { from: "2026-02-30", to: "2026-03-01" },
      { is: "30d" },
    ],
    [
      "the usual for days the wrong way round",
      { from: "2026-03-02", to: "2026-03-01" },
      { is: "30d" },
    ],
  ])("is parsed from a URL: %s", (_, search, expected) => {
    expect(parseRange(search)).toEqual(expected);
  });

  it.each([
    [{ is: "24h" }, { range: "24h" }],
    [{ is: "30d" }, {}],
    [{ is: "all" }, { range: "all" }],
    [january, { from: "2026-01-01", to: "2026-01-31" }],
  ] as const)("%j is stored in the URL and parsed back", (range, search) => {
    expect(toSearch(range)).toEqual(search);
    expect(parseRange(search)).toEqual(range);
  });

  it.each([
    [{ is: "all" }, {}],
    [{ is: "24h" }, { from: "2026-03-09T12:30:00.000Z" }],
    [{ is: "90d" }, { from: "2025-12-10T12:30:00.000Z" }],
    [january, { from: "2026-01-01", to: "2026-02-01" }],
  ] as const)("%j is requested with its last day included", (range, query) => {
    expect(toStatsQuery(range, NOW)).toEqual(query);
  });

  it.each([
    [{ is: "7d" }, { is: "days", first: "2026-03-03", last: "2026-03-10" }],
    [{ is: "all" }, { is: "days", first: "2026-02-08", last: "2026-03-10" }],
    [january, january],
  ] as const)("%j is converted to days", (range, days) => {
    expect(daysOf(range, NOW)).toEqual(days);
  });

  it.each([
    ["2026-01-01", "2026-01-01", null],
    ["", "2026-01-01", "The first day is not a date."],
    ["2026-01-01", "2026-13-01", "The last day is not a date."],
    ["2026-01-02", "2026-01-01", "The last day is before the first."],
  ])("from %j to %j is validated", (first, last, expected) => {
    expect(problemOf(first, last)).toBe(expected);
  });
});
