import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearHit, splitHits } from "./hits.tsx";

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

  it("keep the whole text", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, query) => {
        const pieces = splitHits(text, query);
        expect(pieces.map((piece) => piece.text).join("")).toBe(text);
      }),
    );
  });
});

const shown = (text: string, ...marks: readonly (readonly [number, number])[]): string =>
  nearHit({ text, marks: marks.map(([start, end]) => ({ start, end })) })
    .map((piece) => (piece.isHit ? `[${piece.text}]` : piece.text))
    .join("");

describe("an excerpt", () => {
  it("is complete when its first hit is near its start", () => {
    expect(shown("Fix the build, then build", [8, 13], [20, 25])).toBe(
      "Fix the [build], then [build]",
    );
    expect(shown("no marks at all")).toBe("no marks at all");
    expect(shown("<b>x</b>", [3, 4])).toBe("<b>[x]</b>");
  });

  it("otherwise starts shortly before its first hit, between words if possible", () => {
    const before = "this is long and comes before the ";
    expect(shown(`${before}hit and more`, [34, 37])).toBe("…and comes before the [hit] and more");
    expect(shown(`${"x".repeat(40)}/hit`, [41, 44])).toBe("…[hit]");
  });
});
