import { describe, expect, it } from "vitest";
import { rowsMoved } from "./keep-place.ts";

describe("the top row", () => {
  it.each([
    ["stays without changes", "abcd", "abcd", 2, 0],
    ["moves down with rows added above", "abcd", "xyabcd", 2, 2],
    ["moves up with rows removed above", "abcd", "bcd", 2, -1],
    ["does not move with changes below", "abcd", "abcxy", 2, 0],
    ["is replaced by the next row when it was removed", "abcd", "xabd", 2, 0],
    ["does not move when all rows were replaced", "abcd", "xyz", 2, 0],
  ])("%s", (_, old, now, top, moved) => {
    expect(rowsMoved(old.split(""), now.split(""), top)).toBe(moved);
  });
});
