import { describe, expect, it } from "vitest";
import type { Message } from "@holdfast/protocol";
import { callsAround, familyOf } from "./family.ts";

function message(id: string, content: Partial<Message["content"]>): Message {
  return {
    id,
    sessionId: "s",
    runId: "r",
    seq: 1,
    role: "agent",
    content: { type: "text", ...content },
    complete: true,
    timestamp: "2026-01-01T00:00:00.000Z",
  };
}
const call = (callId: string, parent?: string): Message =>
  message(callId, { type: "tool", tool: "x", callId, ...(parent !== undefined && { parent }) });
const ids = (messages: readonly Message[] | undefined): readonly string[] =>
  (messages ?? []).map(({ id }) => id);

describe("the messages of sub-agents", () => {
  const messages = [
    call("a"),
    message("t1", { text: "one", parent: "a" }),
    call("b", "a"),
    message("t2", { text: "two", parent: "b" }),
    call("c"),
    message("t3", { text: "three", parent: "elsewhere" }),
  ];

  it("are under their calls, in order; those of a call elsewhere stay", () => {
    const { top, under } = familyOf(messages);
    expect(ids(top)).toEqual(["a", "c", "t3"]);
    expect(ids(under.get("a"))).toEqual(["t1", "b"]);
    expect(ids(under.get("b"))).toEqual(["t2"]);
  });

  it("are shown even if calls name each other as parents", () => {
    expect(ids(familyOf([call("x", "y"), call("y", "x"), call("z", "z")]).top)).toEqual([
      "x",
      "y",
      "z",
    ]);
    expect(callsAround([call("x", "y"), call("y", "x")], "x").length).toBeLessThanOrEqual(2);
  });

  it("name the calls that must be open to show them", () => {
    expect(ids(callsAround(messages, "t2"))).toEqual(["b", "a"]);
    expect(callsAround(messages, "c")).toEqual([]);
  });
});
