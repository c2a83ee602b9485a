import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { searchableText, searchWords } from "./search-words.ts";

describe("the words of a text", () => {
  it.each([
    ["Crème BRÛLÉE", ["creme", "brulee"]],
    ["e\u0301 é É", ["e", "e", "e"]],
    ["ﬁnal ½ ２０２６ Ⅻ", ["final", "1", "2", "2026", "xii"]],
    ["ΣΊΣΥΦΟΣ σίσυφος", ["σισυφοσ", "σισυφοσ"]],
    ["Straße İstanbul", ["straße", "istanbul"]],
    ["src/parse.ts:12 a_b foo->bar()", ["src", "parse", "ts", "12", "a", "b", "foo", "bar"]],
    ["don't \"quote\" 'me'", ["don", "t", "quote", "me"]],
    ["東京タワー 서울 𠮷野家", ["東京タワー", "서울".normalize("NFKD"), "𠮷野家"]],
    ["🎉 – … \0 \uD800", []],
    ["", []],
  ])("%j are %j", (text, words) => {
    expect(searchWords(text)).toEqual(words);
  });

  it("are cut at 64 characters, and come from the first 32,768 only", () => {
    expect(searchWords("x".repeat(100))).toEqual(["x".repeat(64)]);
    expect(searchWords(`${"a ".repeat(16_384)}beyond`)).not.toContain("beyond");
    expect(searchWords(`${" ".repeat(32_762)}within`)).toEqual(["within"]);
  });

  it("contain no query syntax, whatever the text is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const word of searchWords(text)) expect(word).toMatch(/^[\p{L}\p{N}\uD800-\uDFFF]+$/u);
      }),
      { numRuns: 500 },
    );
  });

  it("stay the same when they are normalized again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const words = searchWords(text);
        expect(searchWords(words.join(" "))).toEqual(words);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the searchable text of a message", () => {
  it("has no IDs of tool calls", () => {
    const content = { type: "tool", callId: "0198a7", parent: "0198b8", title: "npm test" };
    expect(searchableText(content)).toBe("npm test");
  });

  it("is every text except its type, in order", () => {
    const content = {
      type: "tool",
      tool: "grep",
      args: {
        pattern: "a",
        flags: ["i", 1, true, null],
        nested: { type: "hidden", text: "shown" },
      },
      result: "b",
    };
    expect(searchableText(content)).toBe("grep a i shown b");
    expect(searchableText("just text")).toBe("just text");
    expect(searchableText(null)).toBe("");
  });

  it("ends soon after the first 32,768 characters", () => {
    const pages = Array.from({ length: 100 }, () => "x".repeat(1000));
    expect(searchableText({ type: "tool", pages })).toHaveLength(33 * 1001 - 1);
  });
});
