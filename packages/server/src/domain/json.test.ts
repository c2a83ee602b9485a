import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sameJson, type Json } from "./json.ts";
import { throughDisk } from "./testing/walk.ts";

describe("JSON values", () => {
  it.each<[Json, Json]>([
    [null, null],
    ["a", "a"],
    [
      { a: 1, b: [2, { c: null }] },
      { b: [2, { c: null }], a: 1 },
    ],
    [[], []],
    [{}, {}],
  ])("are the same: %j and %j", (left, right) => {
    expect([sameJson(left, right), sameJson(right, left)]).toEqual([true, true]);
  });

  it.each<[Json, Json]>([
    [null, {}],
    [0, null],
    [0, false],
    ["1", 1],
    [[], {}],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, null]],
    [{ a: null }, {}],
    [{ a: null }, { b: null }],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
    [{ constructor: 1 }, { a: 1 }],
  ])("differ: %j and %j", (left, right) => {
    expect([sameJson(left, right), sameJson(right, left)]).toEqual([false, false]);
  });

  it("are the same after a round trip to disk that changes the order of keys", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const left = throughDisk(value) as Json;
        expect(sameJson(left, reversed(left))).toBe(true);
      }),
    );
  });
});

function reversed(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  const entries = Object.entries(value).map(([key, part]): [string, Json] => [key, reversed(part)]);
  return Object.fromEntries(entries.reverse());
}
