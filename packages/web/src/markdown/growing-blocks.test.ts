import fc from "fast-check";
import { expect, it } from "vitest";
import { createGrowingBlocks } from "./growing-blocks.ts";
import { lexBlocks, type Block } from "./lex-blocks.ts";
import { markdownDocument } from "./testing/markdown-document.ts";

/** The text in pieces, as a stream brings it. */
function grow(text: string, cuts: readonly number[]): readonly Block[] {
  const growing = createGrowingBlocks();
  const ends = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((a, b) => a - b);
  for (const end of ends) {
    const before = [...growing.stable];
    growing.grow(text.slice(0, end));
    expect(growing.stable.slice(0, before.length)).toEqual(before);
    for (const [index, block] of before.entries()) expect(growing.stable[index]).toBe(block);
  }
  growing.grow(text);
  return [...growing.stable, ...growing.tail];
}

const stream = fc.record({
  text: markdownDocument,
  cuts: fc.array(fc.nat({ max: 20_000 }), { maxLength: 200 }),
});

it("parsing a growing text gives the same blocks as parsing it whole, for any pieces", () => {
  fc.assert(
    fc.property(stream, ({ text, cuts }) => {
      expect(grow(text, cuts)).toEqual(lexBlocks(text));
    }),
    { numRuns: 60, seed: 20_261_115 },
  );
});

it("parsing character by character gives the same blocks", () => {
  fc.assert(
    fc.property(markdownDocument, (text) => {
      const short = text.slice(0, 1_500);
      expect(
        grow(
          short,
          Array.from({ length: short.length }, (_, at) => at),
        ),
      ).toEqual(lexBlocks(short));
    }),
    { numRuns: 8, seed: 3 },
  );
});

it("the blocks together contain the whole text", () => {
  fc.assert(
    fc.property(markdownDocument, (text) => {
      const blocks = lexBlocks(text);
      const ends = blocks.map(({ start, raw }) => start + raw.length);
      expect(ends.at(-1) ?? 0).toBe(text.length);
      expect(blocks.slice(1).map(({ start }) => start)).toEqual(ends.slice(0, -1));
    }),
    { numRuns: 60, seed: 7 },
  );
});

it("an ordered list stays one list while its next number is typed", () => {
  const growing = createGrowingBlocks();
  for (const text of ["1. a\n\n", "1. a\n\n2", "1. a\n\n2. b\n", "1. a\n\n2. b\n\nEnd.\n\n"]) {
    growing.grow(text);
  }
  const blocks = [...growing.stable, ...growing.tail];
  expect(blocks.map(({ token }) => token.type)).toEqual(["list", "paragraph"]);
});
