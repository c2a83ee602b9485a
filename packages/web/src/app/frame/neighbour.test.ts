import { expect, it } from "vitest";
import { nextOf } from "./neighbour.ts";

it.each([
  ["the first, from elsewhere", "abc", null, 1, "a"],
  ["the last, from elsewhere", "abc", null, -1, "c"],
  ["the next", "abc", "a", 1, "b"],
  ["the previous", "abc", "b", -1, "a"],
  ["the first after the last", "abc", "c", 1, "a"],
  ["the last before the first", "abc", "a", -1, "c"],
  ["the first, from a session that needs nobody", "abc", "x", 1, "a"],
  ["none if only the open one needs somebody", "a", "a", 1, null],
  ["none", "", null, 1, null],
] as const)("goes to %s", (_, ids, open, by, next) => {
  expect(nextOf(ids.split(""), open, by)).toBe(next);
});
