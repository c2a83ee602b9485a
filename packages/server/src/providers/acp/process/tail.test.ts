import fc from "fast-check";
import { expect, it } from "vitest";
import { openTail } from "./tail.ts";

it("a tail keeps the last bytes, and begins with a whole character (P6)", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), (texts) => {
      const tail = openTail(20);
      for (const text of texts) tail.push(Buffer.from(text));
      const all = texts.join("");
      expect(all.endsWith(tail.read().text)).toBe(true);
      expect(Buffer.byteLength(tail.read().text)).toBeLessThanOrEqual(20);
      expect(Buffer.byteLength(tail.read().text)).toBeGreaterThanOrEqual(
        Math.min(Buffer.byteLength(all), 17),
      );
    }),
  );
});

it("a tail of many small chunks stays small (P6)", () => {
  const tail = openTail(1000);
  for (let count = 0; count < 100_000; count += 1) tail.push(Buffer.from(`${count} `));
  expect(tail.read().text.endsWith("99998 99999 ")).toBe(true);
  expect(tail.read().text).toHaveLength(1000);
});
