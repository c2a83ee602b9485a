import { describe, expect, it } from "vitest";
import { movedBy } from "./keep-place.ts";

/** Capital letters are headings. */
const lines = (keys: string) =>
  keys.split("").map((key) => ({ key, height: key === key.toUpperCase() ? 30 : 60 }));

describe("the line that is read", () => {
  it.each([
    ["stays without changes", "abcd", "abcd", 120, 0],
    ["moves down with lines added above", "abcd", "xyabcd", 130, 120],
    ["moves down with a heading added above", "abcd", "Xabcd", 130, 30],
    ["moves up with lines removed above", "abcd", "bcd", 120, -60],
    ["does not move with changes below", "abcd", "abcxy", 120, 0],
    ["is replaced by the next one when it was removed", "abcd", "xabd", 120, 0],
    ["does not move when all lines were replaced", "abcd", "xyz", 120, 0],
    ["is found by its key", "abcd", "xabcd", "a", 60],
  ])("%s", (_, old, now, line, moved) => {
    expect(movedBy(lines(old), lines(now), line)).toBe(moved);
  });
});
