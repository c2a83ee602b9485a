import { expect, it } from "vitest";
import { between } from "./selection.ts";

it.each([
  ["b", "d", "bcd"],
  ["d", "b", "bcd"],
  ["c", "c", "c"],
  ["gone", "c", "c"],
])("a range from %s to %s is %s", (one, other, expected) => {
  expect(between("abcde".split(""), one, other)).toEqual(expected.split(""));
});
