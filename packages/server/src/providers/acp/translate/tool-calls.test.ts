import { describe, expect, it } from "vitest";
import { grownContent, type MessageContent } from "../../../domain/message.ts";
import type { AgentReport } from "../../provider.ts";
import { MAX_BYTES } from "../wire/shorten.ts";
import { createTranslator } from "./translate.ts";
import type { Translator } from "./translate.ts";

const CALL = {
  type: "tool",
  tool: "edit",
  args: { path: "a" },
  result: null,
  callId: "c1",
  title: "Write a",
  kind: "edit",
  status: "pending",
  locations: [{ path: "/repo/a", line: 3 }],
  output: [],
};

const begin = {
  sessionUpdate: "tool_call",
  toolCallId: "c1",
  title: "Write a",
  kind: "edit",
  rawInput: { path: "a" },
  locations: [{ path: "/repo/a", line: 3 }, { line: 4 }],
};

describe("a tool call", () => {
  it("is merged from all messages about it (A3)", () => {
    const translator = createTranslator();
    expect(translator.update(begin)).toEqual([tool(CALL)]);
    expect(translator.update(update({ status: "in_progress" }))).toEqual([
      tool({ ...CALL, status: "in_progress" }),
    ]);
    const end = update({ status: "completed", rawOutput: { ok: true }, name: "write_file" });
    expect(translator.update(end)).toEqual([
      tool({ ...CALL, tool: "write_file", status: "completed", result: { ok: true } }, true),
    ]);
  });

  it("can begin with an update", () => {
    expect(createTranslator().update(update({ status: "in_progress" }))).toEqual([
      tool({
        ...CALL,
        tool: "tool",
        args: null,
        title: "Tool call",
        kind: null,
        status: "in_progress",
        locations: [],
      }),
    ]);
  });

  it("never goes back to an earlier status", () => {
    const translator = createTranslator();
    translator.update(update({ status: "in_progress" }));
    expect(statuses(translator.update({ ...begin, status: "pending" }))).toEqual(["in_progress"]);
    expect(statuses(translator.update(update({ status: "failed" })))).toEqual(["failed"]);
    expect(translator.update(update({ status: "completed" }))).toEqual(ALIVE);
    expect(statuses(translator.endPrompt("completed"))).toEqual(["failed"]);
  });

  it("is not reported again if nothing changed", () => {
    const translator = createTranslator();
    translator.update(begin);
    expect(translator.update(begin)).toEqual(ALIVE);
  });

  it("contains a reason that comes after the failure", () => {
    const translator = createTranslator();
    translator.update(begin);
    const failed = { ...CALL, status: "failed" };
    expect(translator.update(update({ status: "failed" }))).toEqual([tool(failed)]);
    expect(translator.update({ ...begin, status: "pending" })).toEqual(ALIVE);
    expect(translator.update(update({ status: "failed", rawOutput: "no room" }))).toEqual([
      tool({ ...failed, result: "no room" }, true),
    ]);
  });

  it("is reported as ended before the next text, and a late update does not reopen it", () => {
    const translator = createTranslator();
    translator.update(begin);
    translator.update(update({ status: "completed" }));
    expect(translator.update(says("Done."))).toEqual([
      tool({ ...CALL, status: "completed" }, true),
      { report: "text", voice: "answer", part: null, text: "Done." },
    ]);
    expect(translator.update(update({ rawOutput: "late" }))).toEqual(ALIVE);
    expect(translator.update(begin)).toEqual(ALIVE);
    expect(translator.endPrompt("completed")).toEqual([]);
    expect(translator.update(update({ rawOutput: "later" }))).toEqual(ALIVE);
  });

  it("is a new one if a later prompt reuses its ID", () => {
    const translator = createTranslator();
    translator.update(begin);
    translator.update(update({ status: "completed", rawOutput: 1 }));
    translator.endPrompt("completed");
    expect(translator.update(begin)).toEqual([tool(CALL)]);
    expect(translator.update(update({ status: "completed", rawOutput: 2 }))).toEqual([
      tool({ ...CALL, status: "completed", result: 2 }, true),
    ]);
  });

  it.each([
    ["completed", "unfinished"],
    ["failed", "unfinished"],
    ["cancelled", "cancelled"],
  ] as const)("left open by a %s prompt ends as %s", (how, status) => {
    const translator = createTranslator();
    translator.update(begin);
    expect(translator.endPrompt(how)).toEqual([tool({ ...CALL, status }, true)]);
    expect(translator.endPrompt(how)).toEqual([]);
  });

  it("is ended as the oldest if too many are open", () => {
    const translator = createTranslator();
    for (let count = 0; count < 200; count += 1)
      translator.update(update({ toolCallId: `n${count}` }));
    const reports = translator.update(update({ toolCallId: "one more" }));
    expect(reports).toMatchObject([
      { callId: "n0", ended: true, content: { status: "unfinished" } },
      { callId: "one more", ended: false },
    ]);
    expect(translator.endPrompt("cancelled")).toHaveLength(200);
  });
});

describe("the content of a tool call", () => {
  it("can be texts, diffs and images", () => {
    const content = [
      { type: "content", content: { type: "text", text: "one" } },
      { type: "diff", path: "/repo/a", oldText: null, newText: "new" },
      { type: "content", content: { type: "image", mimeType: "image/png", data: "aGk=" } },
      { type: "newcontent" },
    ];
    expect(outputOf(createTranslator().update(update({ content })))).toEqual([
      { type: "text", text: "one" },
      { type: "diff", path: "/repo/a", oldText: null, newText: "new" },
      { type: "image", mimeType: "image/png", data: "aGk=" },
    ]);
  });

  it("keeps a diff when text replaces it, and takes a newer diff of the same file", () => {
    const translator = createTranslator();
    const diff = { type: "diff", path: "/repo/a", oldText: "a", newText: "b" };
    translator.update(update({ content: [diff] }));
    const words = { type: "content", content: { type: "text", text: "Written." } };
    expect(outputOf(translator.update(update({ content: [words] })))).toEqual([
      diff,
      { type: "text", text: "Written." },
    ]);
    expect(outputOf(translator.update(update({ content: [{ ...diff, newText: "c" }] })))).toEqual([
      { ...diff, newText: "c" },
    ]);
  });

  it("collects the output of a terminal that the agent runs itself", () => {
    const translator = createTranslator();
    const meta = (more: object): object => update({ _meta: more });
    translator.update(update({ content: [{ type: "terminal", terminalId: "t" }] }));
    translator.update(meta({ terminal_output: { terminal_id: "t", data: "one\n\ud83d" } }));
    translator.update(meta({ terminal_output: { terminal_id: "t", data: "\ude00 two\n" } }));
    const reports = translator.update(
      update({
        status: "completed",
        _meta: { terminal_exit: { terminal_id: "t", exit_code: 2, signal: null } },
      }),
    );
    expect(outputOf(reports)).toEqual([
      { type: "terminal", terminalId: "t", text: "one\n😀 two\n", exitCode: 2, signal: null },
    ]);
    expect(reports).toMatchObject([{ ended: true, content: { result: "one\n😀 two\n" } }]);
  });

  it("D1 collects output in the spelling of codex, with the exit code that comes as a result", () => {
    const translator = createTranslator();
    const data = (text: string): object =>
      update({ _meta: { terminal_output_delta: { terminal_id: "t", data: text } } });
    translator.update(update({ kind: "execute", status: "in_progress" }));
    expect(outputOf(translator.update(data("1\n")))).toMatchObject([{ text: "1\n" }]);
    expect(translator.update(data("2\n"))).toEqual([
      { report: "output", callId: "c1", text: "2\n" },
    ]);
    const reports = translator.update(update({ status: "completed", rawOutput: { exit_code: 3 } }));
    expect(outputOf(reports)).toMatchObject([{ text: "1\n2\n", exitCode: 3 }]);
  });

  it("D1 reports only what a terminal has printed since, until its output is cut", () => {
    const translator = createTranslator();
    translator.update(update({ content: [{ type: "terminal", terminalId: "t" }] }));
    const line = (number: number): string => `${number} ${"é".repeat(100)}\n`;
    let content: MessageContent = { type: "tool" };
    let bytes = 0;
    for (let number = 0; number < 6_000; number += 1) {
      const meta = { terminal_output: { terminal_id: "t", data: line(number) } };
      for (const report of translator.update(update({ _meta: meta }))) {
        bytes += JSON.stringify(report).length;
        if (report.report === "tool") content = report.content;
        if (report.report === "output") content = grownContent(content, report.text);
      }
    }
    expect(translator.isHolding).toBe(true);
    const [latest] = translator.release();
    expect(JSON.stringify(latest)).toContain("5999 ");
    expect(translator.isHolding).toBe(false);
    const all = Array.from({ length: 6_000 }, (_, number) => line(number)).join("");
    const [end] = translator.update(
      update({ status: "completed", _meta: { terminal_exit: { terminal_id: "t", exit_code: 0 } } }),
    );
    const [shown] = outputOf(end === undefined ? [] : [end]);
    const words = String(shown?.["text"]);
    expect(words.startsWith(all.slice(0, 50_000))).toBe(true);
    expect(words.endsWith(all.slice(-50_000))).toBe(true);
    const left = Buffer.byteLength(words.replace(NOTE, ""));
    expect(left + Number(shown?.["omittedBytes"])).toBe(Buffer.byteLength(all));
    expect(JSON.stringify(content)).toMatch(/5[0-9]{3} é/u);
    expect(bytes).toBeLessThan(8 * Buffer.byteLength(all));
  });

  it("is reported whole when the agent replaces its output", () => {
    const translator = createTranslator();
    const data = (text: string, more: object = {}): object =>
      update({ _meta: { terminal_output: { terminal_id: "t", data: text, ...more } } });
    translator.update(update({ kind: "execute", status: "in_progress" }));
    translator.update(data("one\n"));
    translator.update(data("two\n"));
    const replaced = translator.update(data("zero\none\ntwo\n", { replaces: true }));
    expect(outputOf(replaced)).toMatchObject([{ text: "zero\none\ntwo\n" }]);
  });

  it("grows by chunks in the newer protocol", () => {
    const translator = createTranslator();
    translator.update(update({ content: [] }));
    const content = { type: "content", content: { type: "text", text: "more" } };
    const piece = { sessionUpdate: "tool_call_content_chunk", toolCallId: "c1", content };
    expect(outputOf(translator.update(piece))).toEqual([{ type: "text", text: "more" }]);
    for (let count = 0; count < 500; count += 1) translator.update(piece);
    expect(outputOf(translator.update(piece))).toEqual([
      { type: "text", text: "more".repeat(502) },
    ]);
  });

  it("replaces a missing result", () => {
    const content = [{ type: "content", content: { type: "text", text: "3 files" } }];
    expect(createTranslator().update(update({ status: "completed", content }))).toMatchObject([
      { ended: true, content: { result: "3 files" } },
    ]);
  });
});

describe("the limit of a tool call", () => {
  const big = "é".repeat(MAX_BYTES);

  it("cuts the middle of a text, and notes how much is missing", () => {
    const content = [{ type: "content", content: { type: "text", text: `<${big}>` } }];
    const [item] = outputOf(createTranslator().update(update({ content })));
    const words = item?.["text"] as string;
    expect(Buffer.byteLength(words)).toBeLessThanOrEqual(MAX_BYTES);
    expect(words).toMatch(/^<é+\n\[… 262,2\d\d bytes left out …\]\né+>$/u);
  });

  it("applies to diffs, inputs and results", () => {
    const translator = createTranslator();
    const reports = translator.update(
      update({
        content: [{ type: "diff", path: "/repo/a", oldText: big, newText: big }],
        rawInput: { path: "/repo/a", text: big },
        rawOutput: Array.from({ length: 100_000 }, (_, index) => index),
        status: "completed",
      }),
    );
    const [report] = reports;
    if (report?.report !== "tool") throw new Error("a tool call was expected");
    const { args, result, output } = report.content;
    expect(args).toMatchObject({ path: "/repo/a", text: expect.stringMatching(NOTE) as string });
    expect(result).toMatch(NOTE);
    expect(output).toMatchObject([
      {
        type: "diff",
        path: "/repo/a",
        oldText: expect.stringMatching(NOTE) as string,
        newText: expect.stringMatching(NOTE) as string,
      },
    ]);
    expect(Buffer.byteLength(JSON.stringify(report.content))).toBeLessThan(1024 * 1024);
  });

  it("is shared by several texts, and the start of each remains", () => {
    const item = { type: "content", content: { type: "text", text: big } };
    const output = outputOf(createTranslator().update(update({ content: [item, item, item] })));
    expect(output).toHaveLength(3);
    expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThan(MAX_BYTES + 1024);
  });

  it.each([32 * 1024, 2 * MAX_BYTES])("D1 of output can be set to %d bytes", (limit) => {
    const translator = createTranslator(undefined, limit);
    const printed = (data: string) =>
      translator.update(update({ _meta: { terminal_output_delta: { terminal_id: "t", data } } }));
    const line = `${"x".repeat(1_023)}\n`;
    const pieces = (3 * limit) / line.length;
    for (let count = 0; count < pieces; count += 1) printed(line);
    const [terminal] = outputOf(translator.update(update({ status: "failed", rawOutput: {} })));
    const text = terminal?.["text"] as string;
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limit);
    expect(Buffer.byteLength(text)).toBeGreaterThan(limit - 1_024);
    expect(terminal?.["omittedBytes"]).toBeGreaterThanOrEqual(2 * limit);
  });

  it("drops the middle of a terminal's output as it arrives", () => {
    const translator = createTranslator();
    for (let line = 0; line < 300; line += 1) {
      const data = `${line} ${"x".repeat(4_000)}\n`;
      translator.update(update({ _meta: { terminal_output: { terminal_id: "t", data } } }));
    }
    const exit = { terminal_exit: { terminal_id: "t", exit_code: 0 } };
    const last = translator.update(update({ status: "completed", _meta: exit }));
    const words = outputOf(last)[0]?.["text"] as string;
    expect(words.startsWith("0 xxx")).toBe(true);
    expect(words.endsWith("xxx\n")).toBe(true);
    expect(words).toContain("\n299 ");
    const remaining = Buffer.byteLength(words.replace(NOTE, ""));
    const missing = Number(NOTE.exec(words)?.[1]?.replaceAll(",", ""));
    const all = Array.from({ length: 300 }, (_, line) => `${line} ${"x".repeat(4_000)}\n`).join("");
    expect(remaining + missing).toBe(all.length);
  });

  it("leaves out values that are nested too deep", () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 100; depth += 1) deep = [deep];
    expect(createTranslator().update(update({ rawInput: deep }))).toMatchObject([
      { content: { args: "[left out: nested too deeply, or not JSON]" } },
    ]);
  });
});

const ALIVE = [{ report: "alive" }];
const NOTE = /\n\[… ([\d,]+) bytes left out …\]\n/u;

function update(patch: object): object {
  return { sessionUpdate: "tool_call_update", toolCallId: "c1", ...patch };
}

function says(words: string): object {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } };
}

function tool(content: object, ended = false): object {
  return { report: "tool", callId: "c1", content, ended };
}

function statuses(reports: readonly AgentReport[]): unknown[] {
  return reports.map((report) => (report.report === "tool" ? report.content["status"] : null));
}

function outputOf(reports: ReturnType<Translator["update"]>): { [key: string]: unknown }[] {
  const report = reports.at(-1);
  if (report?.report !== "tool") throw new Error("a tool call was expected");
  return report.content["output"] as { [key: string]: unknown }[];
}
