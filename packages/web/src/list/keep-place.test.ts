import { describe, expect, it } from "vitest";
import { rowsMoved } from "./keep-place.ts";

describe("the row that is read", () => {
  it.each([
    ["stays when nothing changed", "abcd", "abcd", 2, 0],
    ["moves down with rows that came above", "abcd", "xyabcd", 2, 2],
    ["moves up with rows that went above", "abcd", "bcd", 2, -1],
    ["does not move with what changes below", "abcd", "abcxy", 2, 0],
    ["gives its place to the next when it is gone itself", "abcd", "xabd", 2, 0],
    ["has no place when all are others", "abcd", "xyz", 2, 0],
  ])("%s", (_, old, now, top, moved) => {
    expect(rowsMoved(old.split(""), now.split(""), top)).toBe(moved);
  });
});
