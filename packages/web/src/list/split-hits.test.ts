import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitHits } from "./split-hits.ts";

const marked = (text: string, query: string): string =>
  splitHits(text, query)
    .map((piece) => (piece.isHit ? `[${piece.text}]` : piece.text))
    .join("");

describe("hits in a text", () => {
  it.each([
    ["Fix the build", "build", "Fix the [build]"],
    ["Fix the builder", "BUILD", "Fix the [build]er"],
    ["Rebuild it", "build", "Rebuild it"],
    ["a.b (c)", "c) .b", "a.[b] ([c])"],
    ["tests and test", "test tests", "[tests] and [test]"],
    ["Größe ändern", "änd", "Größe [änd]ern"],
    ["nothing", "", "nothing"],
    ["nothing", "  ?*", "nothing"],
    ["", "a", ""],
  ])("of %j for %j are %j", (text, query, expected) => {
    expect(marked(text, query)).toBe(expected);
  });

  it("leave the text as it is", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, query) => {
        const pieces = splitHits(text, query);
        expect(pieces.map((piece) => piece.text).join("")).toBe(text);
      }),
    );
  });
});
