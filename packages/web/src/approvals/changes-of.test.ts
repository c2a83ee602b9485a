import type { Message } from "@holdfast/protocol";
import { expect, it } from "vitest";
import { changesOf } from "./changes-of.ts";

const tool = (callId: string, output: readonly unknown[]): Message => ({
  id: `m-${callId}`,
  sessionId: "s",
  runId: "r",
  seq: 1,
  role: "system",
  content: { type: "tool", tool: "edit", args: null, result: null, callId, output },
  complete: false,
  timestamp: "2026-01-01T00:00:00.000Z",
});
const diff = (path: string, newText: string) => ({ type: "diff", path, oldText: "a", newText });

it("returns the changes of the tool call in question", () => {
  const messages = [
    tool("other", [diff("x", "b")]),
    tool("call", [diff("y", "b"), diff("y", "c")]),
  ];
  expect(changesOf(messages, "call")).toEqual([{ path: "y", oldText: "a", newText: "c" }]);
});

it("returns no changes of an unknown tool call", () => {
  expect(changesOf([tool("other", [diff("x", "b")])], "call")).toEqual([]);
  expect(changesOf([tool("call", [])], "call")).toEqual([]);
  expect(changesOf([], null)).toEqual([]);
});
