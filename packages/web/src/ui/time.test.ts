import { expect, it } from "vitest";
import { durationText, relativeTime } from "./time.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");

it.each([
  ["2026-03-10T12:00:20Z", "now"],
  ["2026-03-10T11:59:10Z", "now"],
  ["2026-03-10T11:58:10Z", "1m ago"],
  ["2026-03-10T09:00:00Z", "3h ago"],
  ["2026-03-09T11:00:00Z", "yesterday"],
  ["2026-02-20T12:00:00Z", "2w ago"],
  ["2024-02-20T12:00:00Z", "2y ago"],
])("%s is %s", (time, expected) => {
  expect(relativeTime(time, NOW)).toBe(expected);
});

it.each([
  [400, "0 s"],
  [59_000, "59 s"],
  [60_000, "1 min"],
  [200_000, "3 min 20 s"],
  [7_500_000, "2 h 5 min"],
  [90_000_000, "1 d 1 h"],
])("%d ms are %s", (ms, expected) => {
  expect(durationText(ms)).toBe(expected);
});
