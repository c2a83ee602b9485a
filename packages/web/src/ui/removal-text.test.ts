import { describe, expect, it } from "vitest";
import { removalText } from "./removal-text.ts";

const NOW = Date.parse("2026-01-08T12:00:00Z");

describe("when a session is removed", () => {
  it.each([
    ["2026-01-14T13:00:00Z", "removed in 6d"],
    ["2026-01-08T14:00:00Z", "removed in 2h"],
    ["2026-01-08T12:00:10Z", "removed soon"],
    ["2026-01-07T12:00:00Z", "removed soon"],
  ])("A13, ruling 16: is said for %s as %s", (removeAt, text) => {
    expect(removalText(removeAt, NOW)).toBe(text);
  });
});
