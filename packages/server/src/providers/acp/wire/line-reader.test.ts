import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLineReader } from "./line-reader.ts";

function read(
  pieces: readonly Uint8Array[],
  maxBytes?: number,
): { lines: string[]; heads: string[] } {
  const lines: string[] = [];
  const heads: string[] = [];
  const reader = createLineReader({
    onLine: (line) => lines.push(line),
    onOversize: (head) => heads.push(head),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return { lines, heads };
}

function cutAt(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted(
    (a, b) => a - b,
  );
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

const line = fc
  .string({ unit: "grapheme" })
  .map((text) => text.replaceAll(/[\r\n]/g, ""))
  .filter((text) => text.trim() !== "");

describe("a line reader", () => {
  it("returns the same lines for all sizes of chunks", () => {
    fc.assert(
      fc.property(
        fc.array(line),
        fc.array(fc.nat()),
        fc.constantFrom("\n", "\r\n"),
        (lines, cuts, newline) => {
          const bytes = Buffer.from(lines.map((text) => `${text}${newline}`).join(""));
          expect(read(cutAt(bytes, cuts))).toEqual({ lines, heads: [] });
        },
      ),
    );
  });

  it("returns the same lines byte by byte", () => {
    const bytes = Buffer.from('{"text":"Grüße, 世界 🚀"}\n\n  \r\n{"a":1}\r\nno newline');
    const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(read(pieces).lines).toEqual(['{"text":"Grüße, 世界 🚀"}', '{"a":1}', "no newline"]);
  });

  it("replaces invalid UTF-8 and continues", () => {
    expect(read([Buffer.from([0x61, 0xff, 0x62, 0x0a, 0x63, 0x0a])]).lines).toEqual([
      "a\u{FFFD}b",
      "c",
    ]);
  });

  it("accepts a line of exactly the limit and drops a longer one, with one report (P6)", () => {
    const text = `${"a".repeat(100)}\n${"b".repeat(101)}\n${"c".repeat(1000)}\nd\n`;
    for (const size of [1, 7, 100, 101, 5000]) {
      const bytes = Buffer.from(text);
      const cuts = Array.from(
        { length: Math.ceil(bytes.length / size) },
        (_, index) => index * size,
      );
      const { lines, heads } = read(cutAt(bytes, cuts), 100);
      expect(lines).toEqual(["a".repeat(100), "d"]);
      expect(heads.map((head) => head.slice(0, 1))).toEqual(["b", "c"]);
    }
  });

  it("drops an endless line without storing it (P6)", () => {
    const piece = Buffer.alloc(1024 * 1024, 0x61);
    let heads = 0;
    const reader = createLineReader({ onLine: () => {}, onOversize: () => (heads += 1) });
    const before = process.memoryUsage().arrayBuffers;
    for (let megabytes = 0; megabytes < 200; megabytes += 1) reader.push(piece);
    expect(heads).toBe(1);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024);
  });

  it("collects a long line from single bytes in little more memory than its size (P6)", () => {
    const lines: number[] = [];
    const reader = createLineReader({
      onLine: ({ length }) => lines.push(length),
      onOversize: () => {},
    });
    const before = retainedBytes();
    const byte = Buffer.from("x");
    for (let bytes = 0; bytes < 4 * 1024 * 1024; bytes += 1) reader.push(byte);
    // Other files of this process leave garbage, too.
    expect(retainedBytes() - before).toBeLessThan(32 * 1024 * 1024);
    reader.push(Buffer.from("\n"));
    expect(lines).toEqual([4 * 1024 * 1024]);
  });
});

/** What this process holds after its garbage has been collected. */
function retainedBytes(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
