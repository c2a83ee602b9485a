import { describe, expect, it } from "vitest";
import { createPaint } from "../terminal/paint.ts";
import { questionOf } from "./question.ts";
import { answerCommands, keysLine, questionLines } from "./question-lines.ts";
import { suspension } from "../terminal/testing/samples.ts";

const style = (columns = 60) => ({ paint: createPaint({ colour: false }), columns });
const linesOf = (...asked: Parameters<typeof questionOf>) =>
  questionLines(questionOf(...asked), style());

describe("a permission", () => {
  it("shows the whole command, wrapped and never cut, and the agent's options in their order", () => {
    const command = `find . -name '${"x".repeat(70)}' -delete; echo done`;
    const { request } = suspension();
    const lines = linesOf(
      suspension({ request: { ...request, input: { cwd: "/repo", command } } }),
    );
    expect(lines).toEqual([
      "? Run rm",
      "  execute",
      "│ $ find . -name ",
      `│ '${"x".repeat(55)}`,
      `│ ${"x".repeat(15)}' -delete; echo done`,
      "│ cwd: /repo",
      "  1 Allow",
      "  2 Reject",
    ]);
  });

  it.each([
    ["edit", ["a.ts"], "allow_always", "Always allow edits of this file in this session"],
    [
      "move",
      ["a.ts", "b.ts"],
      "reject_always",
      "Always reject moves of these files in this session",
    ],
    ["execute", ["a.ts"], "allow_always", "Always allow this command in this session"],
    ["edit", [], "allow_always", "Always allow this request in this session"],
  ])(
    "for always states the scope that Holdfast applies: %s of %j",
    (kind, locations, option, text) => {
      const options = [{ optionId: "a", name: "Allow all", kind: option }];
      const lines = linesOf(suspension({ request: { title: "Go", kind, locations, options } }));
      expect(lines.at(-1)).toBe(`  1 ${text} (the agent’s words: Allow all)`);
    },
  );

  it("shows what the agent says about the request", () => {
    const { request } = suspension();
    const lines = linesOf(suspension({ request: { ...request, description: "to count" } }));
    expect(lines).toContain("│ description: to count");
  });

  it("shows every line of a change, and no file twice", () => {
    const newText = Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n");
    const output = [{ type: "diff", path: "a.ts", oldText: null, newText }];
    const { request } = suspension();
    const lines = linesOf(
      suspension({ request: { ...request, input: null, locations: ["a.ts"] } }),
      (callId) => ({ type: "tool", tool: callId, args: null, result: null, output }),
    );
    expect(lines[2]).toBe("│   a.ts +40 −0");
    expect(lines.filter((line) => line.startsWith("│   + line"))).toHaveLength(40);
  });

  it("shows lines, lists and files unchanged, without control characters", () => {
    const request = {
      title: "Write\u001B[2J\na.ts",
      kind: "edit",
      input: { new_string: "a\u001B[1A\nb\r", edits: [1, "\u009B"], flag: true },
      locations: ["/repo/\u202Ea.ts"],
      options: [{ optionId: "a", name: "", kind: "allow_once" }, { optionId: 7 }],
    };
    expect(linesOf(suspension({ request }))).toEqual([
      "? Write␛[2J",
      "  a.ts",
      "  edit",
      "│ new_string:",
      "│   a␛[1A",
      "│   b␍",
      '│ edits: [1,"<U+009B>"]',
      "│ flag: true",
      "│ file: /repo/<U+202E>a.ts",
      "  1 a",
    ]);
  });

  it("names the keys that answer it", () => {
    const option = (kind: string) => ({ optionId: kind, name: kind, kind });
    expect(keysLine([option("allow_once"), option("reject_once")])).toBe(
      "Press 1–2; Esc or n: reject_once",
    );
    expect(keysLine([option("allow_once")])).toBe("Press 1");
    expect(keysLine(Array.from({ length: 12 }, () => option("other")))).toBe(
      "Press 1–12 and Enter",
    );
  });
});

describe("a question that cannot be answered at the terminal", () => {
  const commands = (...more: Parameters<typeof suspension>) =>
    answerCommands(questionOf(suspension(...more)), "s1");
  const resume = "holdfast resume s1 --suspension q1 --answer";

  it("has commands for an answer that can be copied", () => {
    expect(commands()).toEqual([`${resume} yes`, `${resume} no`]);
    const options = [{ optionId: "it's; rm -rf \u001B", name: "x", kind: "other" }];
    expect(commands({ request: { title: "?", options } })).toEqual([
      `${resume} 'it'\\''s; rm -rf ␛'`,
    ]);
    expect(commands({ kind: "question", request: { title: "Which?" } })).toEqual([
      `${resume} TEXT`,
    ]);
    expect(
      commands({ kind: "question", request: { title: "Which?", options: ["a b", "c"] } }),
    ).toEqual([`${resume} 'a b'`, `${resume} c`]);
    expect(commands({ kind: "event", request: { title: "deployed" } })).toEqual([`${resume} JSON`]);
    expect(commands({ kind: "rate_limit", request: { title: "overloaded" } })).toEqual([]);
    expect(commands({ kind: "permission", request: {} })).toEqual([`${resume} JSON`]);
  });

  it("names the awaited event", () => {
    expect(
      linesOf(suspension({ kind: "event", request: { title: "deployed", description: "by CI" } })),
    ).toEqual(["? Waits for an event", "│ deployed", "│ description: by CI"]);
    const expiresAt = "2026-01-31T13:00:00.000Z";
    expect(
      linesOf(suspension({ kind: "rate_limit", request: { title: "429" }, expiresAt }))[0],
    ).toBe(
      `? Waits for the rate limit of the model's provider (until ${expiresAt}); continues by itself`,
    );
    expect(
      linesOf(suspension({ kind: "question", request: { title: "Which?", options: ["a", "b"] } })),
    ).toEqual(["? Which?", "  1 a", "  2 b"]);
  });
});
