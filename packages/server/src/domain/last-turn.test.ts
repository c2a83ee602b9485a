import { describe, expect, it } from "vitest";
import { lastLineOf } from "./last-turn.ts";

describe("the last line of a text", () => {
  it.each([
    ["one\n\ntwo\n", "two"],
    ["done:\n```ts\nconst a = 1;\n```\n", "const a = 1;"],
    ["## Result\n\n- **It works.**\n---\n", "It works."],
    ["| a | b |\n| - | - |\n", "a | b"],
    ["", null],
    ["***\n---", null],
  ])("is the last one with words: %j", (text, line) => {
    expect(lastLineOf(text)).toBe(line);
  });

  it("is cut if it is long", () => {
    expect(lastLineOf("word ".repeat(100))).toHaveLength(200);
  });
});
