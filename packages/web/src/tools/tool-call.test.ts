import { expect, it } from "vitest";
import type { Message } from "@holdfast/protocol";
import {
  inputOf,
  liveTextOf,
  summarise,
  titleParts,
  type ToolCall,
  toToolCall,
} from "./tool-call.ts";

function message(content: Message["content"], complete = true): Message {
  return {
    id: "m",
    sessionId: "s",
    runId: "r",
    seq: 1,
    role: "system",
    content,
    complete,
    timestamp: "2026-01-01T00:00:00.000Z",
  };
}

it("reads everything an agent reported about a tool call", () => {
  const content = {
    type: "tool",
    tool: "Bash",
    args: { command: "npm test", description: "Run the tests" },
    result: "ok",
    callId: "call1",
    title: "npm\n test",
    kind: "execute",
    status: "completed",
    locations: [{ path: "/repo/a.ts", line: 3 }, { path: 7 }, null],
    output: [
      { type: "terminal", terminalId: "t", text: "ok\n", exitCode: 0, signal: null },
      { type: "diff", path: "/repo/a.ts", oldText: null, newText: "x" },
      { type: "text", text: " " },
      { type: "image", mimeType: "image/png", data: "AA==" },
      "nonsense",
    ],
  };
  expect(toToolCall(message(content))).toEqual({
    callId: "call1",
    tool: "Bash",
    title: "npm test",
    kind: "execute",
    status: "completed",
    locations: [{ path: "/repo/a.ts", line: 3 }],
    input: "npm test",
    items: [
      { item: "terminal", text: "ok\n", exit: "exit code 0", omitted: 0 },
      { item: "diff", path: "/repo/a.ts", oldText: null, newText: "x" },
      { item: "part", content: { type: "image", mimeType: "image/png", data: "AA==" } },
    ],
    namesFile: false,
  });
});

it("reads a minimal tool call", () => {
  const content = { type: "tool", tool: "read", args: null, result: { lines: 3 } };
  expect(toToolCall(message(content, false))).toEqual({
    callId: null,
    tool: "read",
    title: "read",
    kind: "other",
    status: "in_progress",
    locations: [],
    input: null,
    items: [{ item: "text", text: '```json\n{\n  "lines": 3\n}\n```' }],
    namesFile: false,
  });
});

it.each([
  [{ type: "terminal", text: "1\n[… 9,000 bytes left out …]\n2", omittedBytes: 9_000 }, false],
  [{ type: "text", text: "Full output saved to: /home/ann/.agent/out.txt\n1" }, true],
  [{ type: "terminal", text: "1\n[Output truncated: full output saved to /tmp/out.txt]" }, true],
  [{ type: "terminal", text: "The file was saved to disk" }, false],
])("D1 knows whether the output names a file with the whole", (item, expected) => {
  const content = { type: "tool", tool: "Bash", output: [item] };
  expect(toToolCall(message(content))).toMatchObject({ namesFile: expected });
});

it("other messages are no tool calls", () => {
  expect(toToolCall(message({ type: "text", text: "Hello" }))).toBeNull();
});

it("summarises tool calls in one line", () => {
  const call = (kind: string, path?: string): ToolCall => ({
    callId: null,
    tool: kind,
    title: kind,
    kind,
    status: "completed",
    locations: path === undefined ? [] : [{ path, line: null }],
    input: null,
    items: [],
    namesFile: false,
  });
  expect(
    summarise([
      call("edit", "a"),
      call("edit", "a"),
      call("edit", "b"),
      call("edit"),
      call("execute"),
      call("execute"),
      call("think"),
      { ...call("edit", "c"), status: "failed" },
      { ...call("read"), status: "unfinished" },
      { ...call("read"), status: "cancelled" },
    ]),
  ).toBe("Edited 3 files, ran 2 commands, used 1 tool, 1 failed, 1 unfinished, 1 cancelled");
  expect(summarise([{ ...call("edit"), status: "failed" }])).toBe("1 failed");
});

it("D1 shows what a command prints while it runs, and says what is left out", () => {
  const terminal = { type: "terminal", terminalId: "t", text: "1\n2\n3\n", omittedBytes: 7 };
  const content = { type: "tool", tool: "Bash", output: [terminal] };
  const running = toToolCall(message({ ...content, status: "in_progress" }, false));
  expect(running?.items).toEqual([{ item: "terminal", text: "1\n2\n3\n", exit: null, omitted: 7 }]);
  expect(running && liveTextOf(running)).toBe("1\n2\n3\n");
  const ended = toToolCall(message({ ...content, status: "completed" }));
  expect(ended && liveTextOf(ended)).toBeNull();
});

it.each([
  ["plain text", { output: [{ type: "text", text: "*a*\n\u001B[1mb" }] }, "*a*\n\u001B[1mb", null],
  ["a block of Markdown", { output: [{ type: "text", text: "```console\na\n```" }] }, "a", null],
  ["a result", { result: { stdout: "a", stderr: "b", exit_code: 2 } }, "a\nb", "exit code 2"],
  ["both", { output: [{ type: "text", text: "a" }], result: { exitCode: 0 } }, "a", "exit code 0"],
])("the output of a command sent as %s is that of a terminal", (_, fields, text, exit) => {
  const call = toToolCall(message({ type: "tool", tool: "Bash", kind: "execute", ...fields }));
  expect(call?.items).toEqual([{ item: "terminal", text, exit, omitted: 0 }]);
});

it("what a title has between backticks is code", () => {
  expect(titleParts("Run `npm test` in ``a`b`` and `c")).toEqual([
    { text: "Run ", isCode: false },
    { text: "npm test", isCode: true },
    { text: " in ", isCode: false },
    { text: "a`b", isCode: true },
    { text: " and `c", isCode: false },
  ]);
});

it("a command that is the title is not shown again", () => {
  const content = { type: "tool", tool: "Bash", kind: "execute", args: { command: "npm test" } };
  const call = toToolCall(message({ ...content, title: "`npm test`" }));
  expect(call && inputOf(call)).toBeNull();
});
