import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fit, widthOf, wrap } from "./text-width.ts";

describe("the width of a text", () => {
  it("counts columns, not characters", () => {
    expect(["abc", "漢字", "👍", "é", "e\u0301", ""].map(widthOf)).toEqual([3, 4, 2, 1, 1, 0]);
  });
});

describe("fitting", () => {
  it("cuts a long text with an ellipsis", () => {
    expect([fit("abcdef", 6), fit("abcdef", 5), fit("漢字漢字", 6)]).toEqual([
      "abcdef",
      "abcd…",
      "漢字…",
    ]);
  });
});

describe("wrapping", () => {
  it("breaks between words, and inside words that are too long", () => {
    expect(wrap("one two three\nfour", 9)).toEqual(["one two ", "three", "four"]);
    expect(wrap("abcdefghijklm", 8)).toEqual(["abcdefgh", "ijklm"]);
  });

  it("loses no text, and no line is too wide", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 8, max: 20 }),
        (text, columns) => {
          const lines = wrap(text, columns);
          expect(lines.join("")).toBe(text.replaceAll("\n", ""));
          for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });
});
