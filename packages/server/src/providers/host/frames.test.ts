import { describe, expect, it } from "vitest";
import { createFrameSplitter, frameHeader, type HostFrame } from "./frames.ts";

const [WHOLE, STREAM] = [1, 2];
const FRAMES = [
  [WHOLE, "a whole frame"],
  [STREAM, "a piece of a stream, "],
  [STREAM, "and another one"],
  [STREAM, ""],
  [WHOLE, ""],
  [STREAM, "; the end"],
  [WHOLE, "and the last"],
] as const;

const BYTES = Buffer.concat(
  FRAMES.flatMap(([kind, text]) => [frameHeader(kind, text.length), Buffer.from(text)]),
);

/** Splits the bytes into chunks of this length. */
function split(length: number, options: { readonly inPieces?: number } = {}): readonly HostFrame[] {
  const frames: HostFrame[] = [];
  const splitter = createFrameSplitter((frame) => frames.push(frame), options);
  for (let at = 0; at < BYTES.length; at += length) splitter.push(BYTES.subarray(at, at + length));
  return frames;
}

const textOf = (frames: readonly HostFrame[], kind: number): readonly string[] =>
  frames.filter((frame) => frame.kind === kind).map(({ bytes }) => bytes.toString());

describe("frames", () => {
  it("arrive whole, however their bytes are cut (D4)", () => {
    for (let length = 1; length <= BYTES.length; length += 1) {
      const frames = split(length).map(({ kind, bytes }) => [kind, bytes.toString()]);
      expect(frames).toEqual(FRAMES);
    }
  });

  it("of a stream arrive in pieces, and others whole and in order (D4)", () => {
    for (let length = 1; length <= BYTES.length; length += 1) {
      const frames = split(length, { inPieces: STREAM });
      expect(textOf(frames, WHOLE)).toEqual(["a whole frame", "", "and the last"]);
      expect(textOf(frames, STREAM).join("")).toBe("a piece of a stream, and another one; the end");
      const second = frames.findIndex(({ kind, bytes }) => kind === WHOLE && bytes.length === 0);
      expect(textOf(frames.slice(0, second), STREAM).join("")).toBe(
        "a piece of a stream, and another one",
      );
    }
  });

  it("of a stream do not wait for their rest (D4)", () => {
    const frames: HostFrame[] = [];
    const splitter = createFrameSplitter((frame) => frames.push(frame), { inPieces: STREAM });
    splitter.push(frameHeader(STREAM, 10));
    splitter.push(Buffer.from("half"));
    expect(textOf(frames, STREAM)).toEqual(["half"]);
  });
});
