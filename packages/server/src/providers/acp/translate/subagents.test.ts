import { describe, expect, it } from "vitest";
import type { AgentReport } from "../../provider.ts";
import { createAgentTranslator } from "./subagents.ts";

const chunk = (text: string) => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
});
const announced = (fields: object = {}) => ({
  sessionUpdate: "subagent_update",
  sessionId: "child",
  title: "Researcher",
  description: "Find the file",
  state: { state: "running" },
  ...fields,
});
const tool = (fields: object = {}) => ({
  sessionUpdate: "tool_call",
  toolCallId: "t1",
  title: "Read a.txt",
  kind: "read",
  status: "completed",
  rawOutput: "words",
  ...fields,
});
const inside = { _meta: { claudeCode: { parentToolUseId: "agent-call" } } };

function contents(reports: readonly AgentReport[]): readonly unknown[] {
  return reports.flatMap((report): readonly unknown[] => {
    if (report.report === "text") return [{ text: report.text, parent: report.parent }];
    if (report.report !== "tool") return [];
    const { callId, title, status, parent, args, result } = report.content;
    return [{ callId, title, status, parent, args, result, ended: report.ended }];
  });
}

describe("the session of a sub-agent (D1)", () => {
  it("is shown as a tool call, with its text and calls under it", () => {
    const translator = createAgentTranslator();
    expect(contents(translator.update(announced()))).toEqual([
      {
        callId: "child",
        title: "Researcher",
        status: "in_progress",
        args: { task: "Find the file" },
        result: null,
        ended: false,
      },
    ]);
    expect(contents(translator.update(chunk("I look."), "child"))).toEqual([
      { text: "I look.", parent: "child" },
    ]);
    expect(contents(translator.update(tool(), "child"))).toMatchObject([
      { callId: "child/t1", title: "Read a.txt", parent: "child", ended: true },
    ]);
    expect(contents(translator.update(chunk("Meanwhile")))).toEqual([{ text: "Meanwhile" }]);
    const reply = {
      sessionUpdate: "session_message",
      messageId: "m1",
      senderSessionId: "child",
      recipientSessionId: "root",
      content: [{ type: "text", text: "It is a.txt." }],
    };
    expect(contents(translator.update(reply))).toMatchObject([{ result: "It is a.txt." }]);
    const idle = announced({ state: { state: "idle", stopReason: "end_turn" } });
    expect(contents(translator.update(idle))).toMatchObject([{ status: "completed" }]);
    expect(contents(translator.endPrompt("completed"))).toMatchObject([
      { callId: "child", status: "completed", ended: true },
    ]);
  });

  it("is not shown before it works, and again in the next prompt if it works again", () => {
    const translator = createAgentTranslator();
    const idle = announced({ state: { state: "idle" } });
    expect(contents(translator.update(idle))).toEqual([]);
    expect(contents(translator.endPrompt("completed"))).toEqual([]);
    expect(contents(translator.update(chunk("Again."), "child"))).toMatchObject([
      { callId: "child" },
      { text: "Again." },
    ]);
  });

  it("can have sub-agents of its own", () => {
    const translator = createAgentTranslator();
    translator.update(announced());
    expect(
      contents(translator.update(announced({ sessionId: "grandchild" }), "child")),
    ).toMatchObject([{ callId: "grandchild", parent: "child" }]);
    expect(contents(translator.update(chunk("Deep."), "grandchild"))).toEqual([
      { text: "Deep.", parent: "grandchild" },
    ]);
  });

  it("asks for permission like the agent", () => {
    const translator = createAgentTranslator();
    translator.update(announced());
    const asked = translator.permission({
      sessionId: "child",
      toolCall: {
        toolCallId: "t2",
        title: "Write b.txt",
        kind: "edit",
        rawInput: { path: "b.txt" },
      },
      options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
    });
    expect(asked?.request).toMatchObject({
      title: "Write b.txt",
      toolCallId: "child/t2",
      subagent: "Researcher",
    });
    expect(contents(asked?.reports ?? [])).toMatchObject([{ callId: "child/t2", parent: "child" }]);
    expect(contents(translator.endPrompt("cancelled"))).toMatchObject([
      { callId: "child/t2", status: "cancelled" },
      { callId: "child", status: "cancelled" },
    ]);
  });

  it("asks for information like the agent", () => {
    const translator = createAgentTranslator();
    translator.update(announced());
    const asked = translator.elicitation({
      sessionId: "child",
      toolCallId: "t2",
      mode: "form",
      message: "Which file?",
      requestedSchema: { type: "object", properties: { file: { type: "string" } } },
    });
    expect(asked).toMatchObject({
      ok: true,
      request: { title: "Which file?", toolCallId: "child/t2", subagent: "Researcher" },
    });
  });

  it("is ignored if the agent did not announce it, like its usage and its title", () => {
    const translator = createAgentTranslator();
    expect(translator.update(chunk("Who?"), "stranger")).toEqual([{ report: "alive" }]);
    translator.update(announced());
    const title = { sessionUpdate: "session_info_update", title: "Search" };
    expect(translator.update(title, "child")).toEqual([{ report: "alive" }]);
    const usage = { sessionUpdate: "usage_update", used: 10, size: 100 };
    expect(translator.update(usage, "child")).toEqual([{ report: "alive" }]);
  });

  it("stays bounded: five hundred sub-agents are shown", () => {
    const translator = createAgentTranslator();
    const shown = Array.from({ length: 600 }, (_, n) =>
      contents(translator.update(announced({ sessionId: `child-${n}` }))),
    );
    expect(shown.filter(({ length }) => length > 0)).toHaveLength(500);
  });
});

describe("the work of a sub-agent among the updates of the agent (D1)", () => {
  it("is shown under the call that started it", () => {
    const translator = createAgentTranslator();
    translator.update(
      tool({ toolCallId: "agent-call", title: "Agent", status: "in_progress", rawOutput: null }),
    );
    expect(contents(translator.update({ ...chunk("I look."), ...inside }))).toEqual([
      { text: "I look.", parent: "agent-call" },
    ]);
    const call = tool({ ...inside, status: "in_progress", rawOutput: null });
    expect(contents(translator.update(call))).toMatchObject([
      { callId: "t1", parent: "agent-call", ended: false },
    ]);
    // This update does not say whose call it is.
    const end = { sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" };
    expect(contents(translator.update({ ...end, rawOutput: "words" }))).toMatchObject([
      { callId: "t1", parent: "agent-call", ended: true },
    ]);
    const asked = translator.permission({
      sessionId: "root",
      toolCall: { toolCallId: "t3", title: "Run ls", kind: "execute", ...inside },
      options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
    });
    expect(asked?.request.toolCallId).toBe("t3");
    expect(contents(asked?.reports ?? [])).toMatchObject([{ callId: "t3", parent: "agent-call" }]);
  });
});

describe("plans (A3)", () => {
  const plans = (reports: readonly AgentReport[]): readonly unknown[] =>
    reports.flatMap((report) => (report.report === "plan" ? [report.content] : []));
  const items = (planId: string, ...names: readonly string[]) => ({
    sessionUpdate: "plan_update",
    plan: {
      type: "items",
      planId,
      entries: names.map((content) => ({ content, status: "pending", priority: "high" })),
    },
  });

  it("are replaced as a whole, and removed", () => {
    const translator = createAgentTranslator();
    expect(plans(translator.update(items("p1", "One", "Two")))).toMatchObject([
      { type: "plan", steps: [{ content: "One" }, { content: "Two" }] },
    ]);
    expect(plans(translator.update(items("p1", "Two")))).toMatchObject([
      { steps: [{ content: "Two" }] },
    ]);
    const remove = (planId: string) => ({ sessionUpdate: "plan_removed", planId });
    expect(plans(translator.update(remove("p0")))).toEqual([]);
    expect(plans(translator.update(remove("p1")))).toEqual([{ type: "plan", steps: [] }]);
  });

  it("may be a text or a file", () => {
    const translator = createAgentTranslator();
    const plan = (fields: object) => ({ sessionUpdate: "plan_update", plan: fields });
    expect(
      plans(translator.update(plan({ type: "markdown", planId: "p", content: "# Do it" }))),
    ).toEqual([{ type: "plan", steps: [], text: "# Do it" }]);
    expect(
      plans(translator.update(plan({ type: "file", planId: "p", uri: "file:///plan.md" }))),
    ).toEqual([{ type: "plan", steps: [], text: "file:///plan.md" }]);
  });

  it("are also read from the tool that writes a list of todos", () => {
    const translator = createAgentTranslator();
    const todos = [
      { content: "One", status: "completed", priority: "high", id: "1" },
      { content: "Two", status: "in_progress", priority: "low", id: "2" },
    ];
    const call = tool({ title: "todowrite", kind: "other", rawInput: { todos } });
    const reports = translator.update(call);
    expect(plans(reports)).toEqual([
      {
        type: "plan",
        steps: [
          { content: "One", status: "completed", priority: "high" },
          { content: "Two", status: "in_progress", priority: "low" },
        ],
      },
    ]);
    expect(contents(reports)).toMatchObject([{ callId: "t1" }]);
    const other = tool({ toolCallId: "t2", rawInput: { todos: ["One"] } });
    expect(plans(translator.update(other))).toEqual([]);
  });
});
