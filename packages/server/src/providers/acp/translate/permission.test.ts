import { describe, expect, it } from "vitest";
import { createTranslator } from "./translate.ts";

const options = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", kind: "reject_once" },
  { name: "has no id" },
];
const toolCall = {
  toolCallId: "c1",
  title: "Write a",
  kind: "edit",
  status: "pending",
  rawInput: { path: "a", text: "b" },
};
const params = { sessionId: "s1", toolCall, options };

describe("a permission", () => {
  it("contains the agent's question and its tool call", () => {
    const asked = createTranslator().permission(params);
    expect(asked?.request).toEqual({
      title: "Write a",
      toolCallId: "c1",
      kind: "edit",
      input: { path: "a", text: "b" },
      options: [
        { optionId: "yes", name: "Allow", kind: "allow_once" },
        { optionId: "no", name: "no", kind: "reject_once" },
      ],
    });
    expect(asked?.reports).toMatchObject([
      {
        report: "tool",
        callId: "c1",
        ended: false,
        content: { title: "Write a", status: "pending" },
      },
    ]);
  });

  it("takes missing fields from the call, and does not replace the input of the call", () => {
    const translator = createTranslator();
    translator.update({
      sessionUpdate: "tool_call",
      ...toolCall,
      status: "in_progress",
      rawInput: { path: "a" },
    });
    const bare = translator.permission({ options, toolCall: { toolCallId: "c1" } });
    expect(bare?.request).toMatchObject({ title: "Write a", kind: "edit", input: { path: "a" } });
    const other = translator.permission({
      options,
      toolCall: { toolCallId: "c1", rawInput: { diff: "+b" }, status: "pending" },
    });
    expect(other?.request.input).toEqual({ diff: "+b" });
    expect(translator.endPrompt("cancelled")).toMatchObject([
      { content: { args: { path: "a" }, status: "cancelled" } },
    ]);
  });

  it("flushes held reports before it", () => {
    const translator = createTranslator();
    translator.update({
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text: "\ud83d" },
    });
    expect(translator.permission(params)?.reports).toMatchObject([
      { report: "text", text: "\ufffd" },
      { report: "tool" },
    ]);
  });

  it("may have no tool call", () => {
    expect(createTranslator().permission({ title: "May I?", options })).toMatchObject({
      request: { title: "May I?", toolCallId: null, kind: null, input: null },
      reports: [],
    });
  });

  it.each([null, 5, {}, { toolCall }, { toolCall, options: [] }, { toolCall, options: [{}] }])(
    "without usable options is refused (%o)",
    (broken) => {
      expect(createTranslator().permission(broken)).toBeNull();
    },
  );
});

describe("a fingerprint", () => {
  const fingerprint = (more: object, call: object = {}): string | undefined =>
    createTranslator().permission({ ...params, ...more, toolCall: { ...toolCall, ...call } })
      ?.fingerprint;

  it("is the same for the same question with other IDs or another order of fields", () => {
    const again = fingerprint(
      { sessionId: "s2", options: options.toReversed() },
      {
        toolCallId: "c2",
        title: "Write a again",
        status: "in_progress",
        rawInput: { text: "b", path: "a" },
      },
    );
    expect(again).toBe(fingerprint({}));
    expect(again).toMatch(/^[0-9a-f]{64}$/u);
  });

  it("ignores the IDs of call and session inside the input", () => {
    const one = fingerprint({}, { rawInput: { path: "a", call_id: "c1", session: "s1" } });
    const two = fingerprint(
      { sessionId: "s2" },
      { toolCallId: "c2", rawInput: { path: "a", call_id: "c2", session: "s2" } },
    );
    expect(two).toBe(one);
  });

  it.each([
    { rawInput: { path: "a", text: "c" } },
    { rawInput: { path: "a", text: "b", mode: "x" } },
    { kind: "execute" },
    { name: "remove_file" },
  ])("differs for another question (%o)", (call) => {
    expect(fingerprint({}, call)).not.toBe(fingerprint({}));
  });

  it("covers title, content and locations if there is no input", () => {
    const shown = (text: string, rawInput?: object): string | undefined =>
      fingerprint(
        {},
        { rawInput, content: [{ type: "content", content: { type: "text", text } }] },
      );
    expect(shown("rm a")).toBe(shown("rm a"));
    expect(shown("rm a")).not.toBe(shown("rm b"));
    expect(shown("rm a", {})).not.toBe(shown("rm b", {}));
  });

  it("is random for an unreadable request", () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 100; depth += 1) deep = [deep];
    expect(fingerprint({}, { rawInput: deep })).not.toBe(fingerprint({}, { rawInput: deep }));
  });
});
