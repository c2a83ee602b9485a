import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSseParser, type ServerSentEvent } from "./sse-parser.ts";

function parse(...pieces: readonly string[]): readonly ServerSentEvent[] {
  const parser = createSseParser();
  return pieces.flatMap(parser.push);
}

describe("the parser of event streams", () => {
  it("reads id, name and data, each with or without a space", () => {
    expect(parse("id: 7\nevent: delta\ndata: {}\n\nid:8\ndata:x\n\n")).toEqual([
      { id: "7", name: "delta", data: "{}" },
      { id: "8", name: "message", data: "x" },
    ]);
  });

  it("joins lines of data, keeps further spaces, and reads a field without a colon", () => {
    expect(parse("data:  a\ndata\ndata: b\n\n")).toEqual([
      { id: null, name: "message", data: " a\n\nb" },
    ]);
  });

  it("skips comments, unknown fields and blocks without data", () => {
    expect(parse(": hello\n\nid: 1\n\nevent: x\n\nother: 1\n: \ndata: y\n\n")).toEqual([
      { id: null, name: "message", data: "y" },
    ]);
  });

  it("completes an event at its blank line", () => {
    expect(parse("id: 1\ndata: half")).toEqual([]);
    expect(parse("id: 1\ndata: half\n")).toEqual([]);
  });

  it("ignores an id with NUL, and treats an empty one as none", () => {
    expect(parse("id: a\0b\ndata: x\n\nid: 1\nid:\ndata: y\n\n")).toEqual([
      { id: null, name: "message", data: "x" },
      { id: null, name: "message", data: "y" },
    ]);
  });

  it("reports the reconnect delay if it is a number", () => {
    const asked: number[] = [];
    createSseParser({ onRetry: (ms) => asked.push(ms) }).push("retry: 1500\nretry: soon\nretry:\n");
    expect(asked).toEqual([1500]);
  });

  it("throws for an event beyond the limit, in one line or in many", () => {
    const long = createSseParser({ maxLength: 20 });
    long.push(`data: ${"x".repeat(14)}`);
    expect(() => long.push("x")).toThrow("longer than 20 characters");
    const many = createSseParser({ maxLength: 20 });
    expect(() => many.push("data: xxxx\n".repeat(5))).toThrow("longer than 20 characters");
    const fine = createSseParser({ maxLength: 20 });
    expect(fine.push("data: xxxx\n\n".repeat(50))).toHaveLength(50);
  });

  it("finds the same events however lines end and wherever the text is cut", () => {
    const field = fc.stringMatching(/^[^\r\n\0]{0,8}$/u);
    const block = fc.record({
      id: fc.option(fc.stringMatching(/^\d{1,4}$/u)),
      name: fc.stringMatching(/^[a-z]{1,6}$/u),
      lines: fc.array(field, { minLength: 1, maxLength: 3 }),
      comment: fc.option(field),
    });
    fc.assert(
      fc.property(
        fc.array(block, { maxLength: 6 }),
        fc.constantFrom("\n", "\r", "\r\n"),
        fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
        (blocks, ending, lengths) => {
          const lines = blocks.flatMap(({ id, name, lines: data, comment }) => [
            ...(id === null ? [] : [`id: ${id}`]),
            ...(comment === null ? [] : [`:${comment}`]),
            `event: ${name}`,
            ...data.map((line) => `data: ${line}`),
            "",
          ]);
          const text = lines.map((line) => line + ending).join("");
          const pieces: string[] = [];
          for (let at = 0; at < text.length;) {
            const length = lengths.next().value;
            pieces.push(text.slice(at, at + length));
            at += length;
          }
          expect(parse(...pieces)).toEqual(
            blocks.map(({ id, name, lines: data }) => ({ id, name, data: data.join("\n") })),
          );
        },
      ),
    );
  });
});
