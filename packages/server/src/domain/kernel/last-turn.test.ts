import { describe, expect, it } from "vitest";
import { create, endRun, FAILED, HANDED, NOON, send } from "../testing/commands.ts";
import { given } from "../testing/given.ts";
import { lastLineOf } from "./last-turn.ts";

const RUNNING = [create(), send(1, { start: HANDED })];

it("the last turn of a session keeps the last line that an agent said", () => {
  const { session } = given(...RUNNING).when({ ...endRun(1), line: "All tests pass." });
  expect(session?.lastTurn.line).toBe("All tests pass.");
  const next = given(...RUNNING, { ...endRun(1), line: "Done." }, send(2, { start: HANDED }));
  expect(next.when(endRun(2, FAILED)).session?.lastTurn).toEqual({
    at: NOON,
    outcome: "failed",
    line: "Done.",
  });
});

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
