import { describe, expect, it } from "vitest";
import { historyIn, modelContext, type ModelContext } from "./model-context.ts";
import { message, text, toolMessage } from "./testing/model-rig.ts";

const contextOf = (more: Partial<ModelContext> = {}): ModelContext => ({
  history: [],
  parts: [text("Now.")],
  begun: [],
  toolNames: new Set(["weather"]),
  contextTokens: 1_000,
  ...more,
});

const user = (...words: readonly string[]): unknown => ({ role: "user", content: words.map(text) });
const model = (...words: readonly string[]): unknown => ({
  role: "assistant",
  content: words.map(text),
});

describe("the context of a model", () => {
  it("is the whole conversation in order, with consecutive messages of one role joined (C2)", () => {
    const history = [
      message("user", { type: "parts", parts: [text("One."), text("Two.")] }),
      message("system", { type: "plan", steps: [] }),
      message("agent", text("Three.")),
      message("agent", text("Four.")),
      message("agent", { type: "image", data: "aGk=", mimeType: "image/png" }),
      message("system", { type: "text", text: "local goes on.", notice: "agent_memory" }),
      message("system", { type: "text", text: "Failed: no", notice: "run_failed" }),
    ];
    expect(modelContext(contextOf({ history }))).toEqual([
      user("One.", "Two."),
      model("Three.\n\nFour.\n\n[image]"),
      user("[Failed: no]", "Now."),
    ]);
  });

  it("contains calls of the client's tools as calls, and those of other agents as text", () => {
    const own = { callId: "c1", tool: "weather", args: { place: "Rome" }, result: { sky: "blue" } };
    const foreign = { callId: "c2", tool: "edit", args: {}, result: null };
    const odd = { callId: "c 3", tool: "weather", args: {}, result: "rain" };
    const history = [toolMessage(own), toolMessage(foreign), toolMessage(odd)];
    expect(modelContext(contextOf({ history }))).toEqual([
      user("[The session so far]"),
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "c1", toolName: "weather", input: { place: "Rome" } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c1",
            toolName: "weather",
            output: { type: "text", value: '{"sky":"blue"}' },
          },
        ],
      },
      model("[I used edit]\n\n[I used weather: rain]"),
      user("Now."),
    ]);
  });

  it.each([
    ["completed", null, { type: "text", value: "null" }],
    ["failed", "no network", { type: "error-text", value: "no network" }],
    ["pending", null, { type: "error-text", value: "The run ended before there was a result." }],
  ])("contains the outcome of a call that is %s", (status, result, output) => {
    const call = { callId: "c1", tool: "weather", args: "no object", result };
    const messages = modelContext(contextOf({ history: [toolMessage(call, status)] }));
    expect(messages.slice(1, -1)).toMatchObject([
      { content: [{ type: "tool-call", input: {} }] },
      { content: [{ type: "tool-result", toolCallId: "c1", output }] },
    ]);
  });

  it("never ends with a message of the model", () => {
    const begun = [message("agent", text("I began."))];
    expect(modelContext(contextOf({ begun }))).toEqual([
      user("Now."),
      model("I began."),
      user("[Go on]"),
    ]);
  });

  it("leaves out the oldest messages first, and says how many", () => {
    const long = "x".repeat(1_500);
    const history = [
      message("user", text("first")),
      message("agent", text(`${long}1`)),
      message("user", text(`${long}2`)),
      message("agent", text(`${long}3`)),
    ];
    expect(modelContext(contextOf({ history }))).toEqual([
      user("[2 older messages are left out here]", `${long}2`),
      model(`${long}3`),
      user("Now."),
    ]);
    expect(historyIn(contextOf({ history }))).toEqual({ given: 2, of: 4 });
    expect(modelContext(contextOf({ history, contextTokens: 500 }))).toEqual([
      user("[3 older messages are left out here]"),
      model(`${long}3`),
      user("Now."),
    ]);
  });

  it("keeps the newest message of the run, even if it is too large", () => {
    const call = (callId: string, result: string) =>
      toolMessage({ callId, tool: "weather", args: {}, result });
    const begun = [call("c1", "x".repeat(9_000)), call("c2", "y".repeat(9_000))];
    const history = [message("user", text("first"))];
    const messages = modelContext(contextOf({ begun, history }));
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(messages[0]).toEqual(
      user("[1 older message is left out here]", "Now.", "[1 older message is left out here]"),
    );
    expect(JSON.stringify(messages)).toContain("c2");
  });

  it("contains no message that is older than one left out", () => {
    const begun = [message("agent", text("x".repeat(9_000))), message("agent", text("short"))];
    const history = [message("user", text("first"))];
    expect(modelContext(contextOf({ begun, history }))).toEqual([
      user("[1 older message is left out here]", "Now.", "[1 older message is left out here]"),
      model("short"),
      user("[Go on]"),
    ]);
  });
});
