import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromLines, toLines } from "./json-lines.ts";
import { collect, each } from "../testing/lines.ts";

async function* inPieces(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size)
    yield bytes.subarray(start, start + size);
}

async function linesOf(
  text: string,
  { size = 1_000, maxBytes = 1_000_000, maxLineBytes = 1_000 } = {},
): Promise<readonly string[]> {
  return collect(toLines(inPieces(text, size), { maxBytes, maxLineBytes }));
}

describe("lines of JSON", () => {
  it("are the same for all chunks, without empty ones", async () => {
    const line = fc.string({ unit: "binary" }).map((text) => text.replaceAll(/[\r\n]/gu, ""));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 7 }), async (lines, size) => {
        const wellFormed = lines.map((text) => text.toWellFormed());
        const text = (await collect(fromLines(each(wellFormed)))).join("");
        const expected = wellFormed.filter((one) => one !== "");
        expect(await linesOf(text, { size, maxLineBytes: 10_000 })).toEqual(expected);
        expect(await linesOf(text.replaceAll("\n", "\r\n"), { size })).toEqual(expected);
      }),
    );
  });

  it("need no newline at the end", async () => {
    expect(await linesOf("a\nb")).toEqual(["a", "b"]);
    expect(await linesOf("")).toEqual([]);
  });

  it("are refused if the body or one line is too large (P6)", async () => {
    expect(await linesOf("12345\n6789", { maxBytes: 10, size: 3 })).toEqual(["12345", "6789"]);
    await expect(linesOf("12345\n67890", { maxBytes: 10, size: 3 })).rejects.toMatchObject({
      code: "payload_too_large",
    });
    expect(await linesOf("12345\n", { maxLineBytes: 5, size: 1 })).toEqual(["12345"]);
    await expect(linesOf("123456\n", { maxLineBytes: 5, size: 1 })).rejects.toMatchObject({
      code: "payload_too_large",
    });
  });

  it("are sent in chunks as they come", async () => {
    const pieces = await collect(fromLines(each(Array(100).fill("x".repeat(10_000)))));
    expect(pieces.length).toBeGreaterThan(10);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(100_000);
  });
});
