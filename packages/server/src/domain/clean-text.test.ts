import { describe, expect, it } from "vitest";
import { cleanJson, cleanText, MAX_JSON_DEPTH } from "./clean-text.ts";

describe("cleanText", () => {
  it("removes NUL, replaces lone surrogates and keeps everything else", () => {
    expect(cleanText("a\0b \uD800 c 👍 \uDC00")).toBe("ab \uFFFD c 👍 \uFFFD");
  });
});

describe("cleanJson", () => {
  const nested = (depth: number): unknown => (depth === 0 ? "end" : { next: nested(depth - 1) });

  it("cleans texts and keys at every depth", () => {
    expect(cleanJson({ "k\0": ["\uD800", { x: "\0" }], n: 1, b: true, z: null })).toEqual({
      ok: true,
      value: { k: ["\uFFFD", { x: "" }], n: 1, b: true, z: null },
    });
  });

  it("accepts JSON up to the maximum depth and refuses one level more", () => {
    expect(cleanJson(nested(MAX_JSON_DEPTH)).ok).toBe(true);
    expect(cleanJson(nested(MAX_JSON_DEPTH + 1))).toEqual({ ok: false, refused: "too_deep" });
  });

  it("refuses values that JSON cannot represent", () => {
    for (const value of [undefined, Number.NaN, Infinity, 1n, () => {}, [undefined]]) {
      expect(cleanJson(value)).toEqual({ ok: false, refused: "not_json" });
    }
  });
});
