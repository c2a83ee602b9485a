import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AgentFault } from "../provider.ts";
import type { Turn } from "../testing/fake-models/model-request.ts";
import { startFakeModels, type FakeModels } from "../testing/fake-models/fake-models.ts";
import { MODEL_APIS } from "./definition.ts";
import { KEY, message, modelProvider, ModelRig, text, toolMessage } from "./testing/model-rig.ts";

let models: FakeModels;
beforeEach(async () => {
  models = await startFakeModels();
});
afterEach(() => models.close());

const WEATHER = {
  name: "weather",
  description: "The weather at a place.",
  inputSchema: { type: "object", properties: { place: { type: "string" } } },
};

/** The messages by role, with the parts of one role joined, because some dialects send them that way. */
function voicesOf(turns: readonly Turn[]): readonly string[] {
  const voices: string[] = [];
  for (const [index, { by, text: words }] of turns.entries()) {
    const line = words.replaceAll(/\s+/gu, " ").trim();
    if (turns[index - 1]?.by === by) voices.push(`${voices.pop() ?? ""} ${line}`);
    else voices.push(`${by}: ${line}`);
  }
  return voices;
}

async function faultOf(work: Promise<unknown>): Promise<AgentFault> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AgentFault) return error;
  throw new Error("no fault", { cause: error });
}

describe.each(MODEL_APIS)("a model behind the %s API", (api) => {
  const start = async (more = {}, request = {}): Promise<ModelRig> =>
    ModelRig.start(modelProvider(models.url, { api, ...more }), request);

  it("streams its answer and reports its usage (C2)", async () => {
    const rig = await start();
    const end = await rig.agent.prompt({ parts: [text("PING")], model: null });
    expect(rig.text()).toBe("PONG");
    expect(end).toEqual({
      stopReason: "end_turn",
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    });
    expect(models.requests.map(({ asked }) => asked?.model)).toEqual(["fake-1"]);
  });

  it("reports thoughts and answer separately", async () => {
    const rig = await start();
    await rig.agent.prompt({ parts: [text("THINK")], model: "fake-2" });
    expect([rig.text("thought"), rig.text()]).toEqual([
      "Let me think about this.",
      "After a thought: 42.",
    ]);
    expect(models.requests[0]?.asked?.model).toBe("fake-2");
  });

  it("gets the earlier conversation, of all agents (C2)", async () => {
    const rig = await start();
    const history = [
      message("user", text("I like figs.")),
      message("agent", { type: "thought", text: "Figs?" }),
      message("agent", text("Noted.")),
      toolMessage({ callId: "x:1/2", tool: "read", args: {}, result: "fig.txt" }),
      message("system", { type: "text", text: "Cancelled: enough", notice: "run_cancelled" }),
    ];
    await rig.agent.prompt({ parts: [text("RECALL")], model: null, history });
    expect(voicesOf(models.requests[0]?.asked?.said ?? [])).toEqual([
      "user: I like figs.",
      "model: Noted. [I used read: fig.txt]",
      "user: [Cancelled: enough] RECALL",
    ]);
  });

  it("leaves tool calls to the client, and continues with their results (C3)", async () => {
    const rig = await start({}, { tools: [WEATHER] });
    const parts = [text('TOOL weather {"place":"Rome"}\nTOOL weather {"place":"Oslo"}')];
    const end = await rig.agent.prompt({ parts, model: null });
    expect(end.stopReason).toBe("tool_use");
    const wants = rig.reports.filter((report) => report.report === "wants");
    expect(wants.map(({ kind, request }) => [kind, request])).toEqual([
      ["tool_result", { title: "weather", tool: "weather", args: { place: "Rome" } }],
      ["tool_result", { title: "weather", tool: "weather", args: { place: "Oslo" } }],
    ]);
    const begun = rig.reports.flatMap((report) =>
      report.report === "tool" ? [message("agent", report.content, false)] : [],
    );
    const [rome, oslo] = wants.map(({ callId }) => callId);
    rig.reports.length = 0;
    const last = await rig.agent.prompt({
      parts,
      model: null,
      begun: [message("agent", text("I need something. ")), ...begun],
      answers: [
        { callId: rome ?? "", kind: "tool_result", answer: { sky: "blue" } },
        { callId: oslo ?? "", kind: "tool_result", answer: null },
      ],
    });
    expect(rig.reports).toMatchObject([
      {
        report: "tool",
        callId: rome,
        ended: true,
        content: { status: "completed", result: { sky: "blue" } },
      },
      { report: "tool", callId: oslo, ended: true, content: { status: "failed" } },
      { report: "text" },
    ]);
    expect(rig.text()).toContain('The tool said: {"sky":"blue"}');
    expect(rig.text()).toContain("Nobody answered");
    expect(last).toMatchObject({ stopReason: "end_turn" });
    expect(last.usage?.["outputTokens"]).toBeGreaterThan(Number(end.usage?.["outputTokens"]));
  });

  it("gets an error if it calls an unknown tool", async () => {
    const rig = await start({}, { tools: [WEATHER] });
    const end = await rig.agent.prompt({ parts: [text("TOOL nothing {}")], model: null });
    expect(end.stopReason).toBe("end_turn");
    expect(rig.reports).toMatchObject([
      { report: "text" },
      { report: "tool", ended: true, content: { tool: "nothing", status: "failed" } },
      { report: "text" },
    ]);
    expect(models.requests.length).toBe(2);
  });

  it.each([
    ["LENGTH", "max_tokens"],
    ["REFUSE", "refusal"],
  ])("ends %s as %s", async (directive, stopReason) => {
    const rig = await start();
    expect(await rig.agent.prompt({ parts: [text(directive)], model: null })).toMatchObject({
      stopReason,
    });
  });

  it.each([
    [401, { code: "agent_needs_login", isPassing: false, retryAfterMs: null }],
    [403, { code: "agent_needs_login", isPassing: false, retryAfterMs: null }],
    [429, { code: "agent_rate_limited", isPassing: true, retryAfterMs: 1_000 }],
    [503, { code: "agent_disconnected", isPassing: true, retryAfterMs: null }],
    [400, { code: "agent_failed", isPassing: false, retryAfterMs: null }],
  ])(
    "fails by status %i after one request, and does not show its key (C4)",
    async (status, expected) => {
      const rig = await start();
      const fault = await faultOf(
        rig.agent.prompt({ parts: [text(`ERR ${status}`)], model: null }),
      );
      const { code, isPassing, retryAfterMs } = fault;
      expect({ code, isPassing, retryAfterMs }).toEqual(expected);
      expect(fault.message).toContain(`HTTP ${status}`);
      expect(fault.detail).toContain("[redacted]");
      expect(JSON.stringify([fault.message, fault.detail, fault.cause])).not.toContain(KEY);
      expect(models.requests.length).toBe(1);
    },
  );

  it("can be retried if it breaks off (C4)", async () => {
    const rig = await start();
    const fault = await faultOf(rig.agent.prompt({ parts: [text("CUT")], model: null }));
    expect([fault.code, fault.isPassing]).toEqual(["agent_disconnected", true]);
  });

  it("stops at once if it is cancelled", async () => {
    const rig = await start();
    const ending = rig.agent.prompt({ parts: [text("SLOW")], model: null });
    await models.until(({ answer }) => answer?.does === "speak");
    expect(await rig.agent.cancel()).toBe("settled");
    expect(await ending).toEqual({ stopReason: "cancelled", usage: null });
    await models.until(({ outcome }) => outcome === "aborted");
    expect((await rig.agent.prompt({ parts: [text("PING")], model: null })).stopReason).toBe(
      "end_turn",
    );
  });
});

describe("a model", () => {
  it("gets a result that is stored in a second message of the call (C3)", async () => {
    const rig = await ModelRig.start(modelProvider(models.url), { tools: [WEATHER] });
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    const call = { callId: "c1", tool: "weather", args: {}, result: null, usage };
    const announced = toolMessage(call, "pending");
    const parts = [text("TOOL weather {}")];
    const answers = [{ callId: "c1", kind: "tool_result", answer: "sun" }] as const;
    await rig.agent.prompt({ parts, model: null, begun: [announced], answers });
    expect(rig.reports[0]).toEqual({
      report: "tool",
      callId: "c1",
      content: { ...announced.content, status: "completed", result: "sun" },
      ended: true,
    });
    rig.reports.length = 0;
    const begun = [announced, toolMessage({ ...call, result: "sun" })];
    const end = await rig.agent.prompt({ parts, model: null, begun, answers });
    expect(rig.reports.map(({ report }) => report)).toEqual(["text"]);
    expect(models.requests[1]?.asked?.said).toEqual([
      { by: "user", text: "TOOL weather {}" },
      { by: "tool", text: "sun" },
    ]);
    expect(end.usage).toEqual({ inputTokens: 6, outputTokens: 6, totalTokens: 12 });
  });

  it("can be retried if its service cannot be reached (C4)", async () => {
    const rig = await ModelRig.start(modelProvider("http://127.0.0.1:9"));
    const fault = await faultOf(rig.agent.prompt({ parts: [text("PING")], model: null }));
    expect([fault.code, fault.isPassing]).toEqual(["agent_disconnected", true]);
  });

  it("is gone after a stop, even in the middle of an answer", async () => {
    const rig = await ModelRig.start(modelProvider(models.url));
    const ending = faultOf(rig.agent.prompt({ parts: [text("HANG")], model: null }));
    await models.until(({ answer }) => answer?.does === "hang");
    await rig.agent.stop();
    expect((await ending).code).toBe("agent_exited");
    expect(await rig.agent.exited).toEqual({ code: 0, signal: null, stderr: "" });
    const late = await faultOf(rig.agent.prompt({ parts: [text("PING")], model: null }));
    expect(late.code).toBe("agent_exited");
  });

  it("accepts images, and never fetches the links in a message", async () => {
    const rig = await ModelRig.start(modelProvider(models.url));
    const image = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };
    const link = { type: "image", mimeType: "image/png", uri: `${models.url}/secret.png` };
    await rig.agent.prompt({ parts: [image, link, text("PING")], model: null });
    expect(models.requests.map(({ path }) => path)).toEqual(["/v1/messages"]);
    expect(models.requests[0]?.body).toMatchObject({
      messages: [
        {
          role: "user",
          content: [
            {
              type: "image",
              source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
            },
            { type: "text", text: `[image: ${models.url}/secret.png]` },
            { type: "text", text: "PING" },
          ],
        },
      ],
    });
  });

  it("gets its system prompt and the limit of its answer", async () => {
    const rig = await ModelRig.start(
      modelProvider(models.url, { system: "Be kind.", maxTokens: 77 }),
    );
    await rig.agent.prompt({ parts: [text("PING")], model: null });
    expect(models.requests[0]?.body).toMatchObject({
      max_tokens: 77,
      system: [{ type: "text", text: "Be kind." }],
    });
    expect(models.requests[0]?.headers["x-api-key"]).toBe(KEY);
  });

  it("asks the service to store nothing", async () => {
    const rig = await ModelRig.start(modelProvider(models.url, { api: "openai" }));
    await rig.agent.prompt({ parts: [text("PING")], model: null });
    expect(models.requests[0]?.body).toMatchObject({ store: false });
  });

  it("names the missing key, in its description and when it starts (C4)", async () => {
    const provider = modelProvider(models.url, { apiKeyEnv: "OTHER_KEY", models: ["fake-2"] });
    expect(await provider.describe()).toEqual({
      name: "local",
      title: "local",
      installed: false,
      command: [],
      install: "export OTHER_KEY=…",
      login: null,
      loginMethods: [],
      loginStatus: { state: "unknown", label: null },
      canLogOut: false,
      version: null,
      models: [
        { id: "fake-1", name: "fake-1" },
        { id: "fake-2", name: "fake-2" },
      ],
      modes: [],
      commands: [],
      capabilities: { api: "anthropic", tools: true, images: true },
    });
    const fault = await faultOf(ModelRig.start(provider));
    expect([fault.code, fault.message]).toEqual([
      "agent_needs_login",
      "local needs a key: set OTHER_KEY in the environment of the server",
    ]);
    expect(models.requests).toEqual([]);
  });
});
