import { describe, expect, it } from "vitest";
import { nearHit } from "./near-hit.ts";

const shown = (text: string, ...marks: readonly (readonly [number, number])[]): string =>
  nearHit({ text, marks: marks.map(([start, end]) => ({ start, end })) })
    .map((piece) => (piece.isHit ? `[${piece.text}]` : piece.text))
    .join("");

describe("a found text", () => {
  it("is shown whole when its first hit is near its beginning", () => {
    expect(shown("Fix the build, then build", [8, 13], [20, 25])).toBe(
      "Fix the [build], then [build]",
    );
    expect(shown("no marks at all")).toBe("no marks at all");
    expect(shown("<b>x</b>", [3, 4])).toBe("<b>[x]</b>");
  });

  it("begins shortly before its first hit otherwise, between words where it can", () => {
    const before = "this is long and comes before the ";
    expect(shown(`${before}hit and more`, [34, 37])).toBe("…and comes before the [hit] and more");
    expect(shown(`${"x".repeat(40)}/hit`, [41, 44])).toBe("…[hit]");
  });
});
