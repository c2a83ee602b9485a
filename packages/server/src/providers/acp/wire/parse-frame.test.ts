import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { badFrames, deepLine } from "../../testing/scripted-oddities.ts";
import { parseFrame, parseUnreadable } from "./parse-frame.ts";

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

describe("a frame", () => {
  it("is classified by its fields", () => {
    const frames = [
      '{"jsonrpc":"2.0","id":"a","method":"m","params":[1]}',
      '  {"jsonrpc":"2.0","method":"m"}  ',
      '{"jsonrpc":"2.0","id":1,"result":null}',
      '{"jsonrpc":"2.0","id":1,"error":{"code":1}}',
    ];
    expect(frames.map(parseFrame)).toEqual([
      { frame: "request", id: "a", method: "m", params: [1] },
      { frame: "notification", method: "m", params: undefined },
      { frame: "result", id: 1, result: null },
      { frame: "error", id: 1, error: { code: 1 } },
    ]);
  });

  it("is noise if it is not JSON-RPC", () => {
    const kinds = badFrames.map((line) => parseFrame(line).frame);
    expect(new Set(kinds)).toEqual(new Set(["noise", "notification", "error"]));
    expect(parseFrame("Loading plugins... 100%")).toEqual({ frame: "noise" });
    expect(parseFrame('{"jsonrpc":"2.0","id":null,"method":"m"}')).toEqual({ frame: "noise" });
  });

  it("may be nested 64 deep and no deeper (P6)", () => {
    const frame = (depth: number): string =>
      `{"jsonrpc":"2.0","method":"m","params":${nested(depth)}}`;
    expect(parseFrame(frame(63)).frame).toBe("notification");
    expect(parseFrame(frame(64))).toEqual({ frame: "unreadable", id: null, method: "m" });
  });

  it("may contain any number of brackets side by side and in strings", () => {
    const many = Array.from({ length: 1000 }, () => [{}]);
    const text = '"}]'.repeat(500) + "{[".repeat(500) + "\\";
    const frame = { jsonrpc: "2.0", method: "m", params: [many, text] };
    expect(parseFrame(JSON.stringify(frame))).toMatchObject({ params: [many, text] });
  });

  it("that is nested too deep still has its ID, and never overflows the stack (P6)", () => {
    const deep = nested(3_000_000);
    expect(parseFrame(deepLine("s", 3_000_000))).toEqual({
      frame: "unreadable",
      id: null,
      method: "session/update",
    });
    expect(parseFrame(`{"jsonrpc":"2.0","result":{"a":${deep},"b":"]}"},"id":7}`)).toEqual({
      frame: "unreadable",
      id: 7,
      method: null,
    });
    expect(parseFrame(`{"jsonrpc":"2.0","id":"q","params":${"[".repeat(100_000)}`)).toEqual({
      frame: "noise",
    });
    expect(parseFrame(`{"a":${deep}}`)).toEqual({ frame: "noise" });
  });

  it("that was cut is identified by its start", () => {
    expect(
      parseUnreadable(
        '{"jsonrpc":"2.0","id":3,"method":"session/request_permission","params":{"a":"b',
      ),
    ).toEqual({ frame: "unreadable", id: 3, method: "session/request_permission" });
    expect(parseUnreadable('{"jsonrpc":"2.0","id":3,"result":{"a":["b')).toEqual({
      frame: "unreadable",
      id: 3,
      method: null,
    });
    expect(parseUnreadable("xxxxxxxx")).toEqual({ frame: "noise" });
  });

  it("is returned for every line", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((json) => `{"jsonrpc":"2.0","id":${json}`),
        ),
        (line) => {
          expect(parseFrame(line)).toHaveProperty("frame");
          expect(parseUnreadable(line)).toHaveProperty("frame");
        },
      ),
    );
  });
});
