import { mkdirSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Suspension } from "../../domain/suspension.ts";
import { defineModel } from "../../providers/model/definition.ts";
import { echo, say, script } from "../../providers/testing/script.ts";
import {
  startFakeModels,
  type FakeModels,
} from "../../providers/testing/fake-models/fake-models.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";

const KEY = "sk-secret-0123456789";
const TOOLS = [
  {
    name: "weather",
    description: "The weather at a place.",
    inputSchema: { type: "object", properties: { place: { type: "string" } } },
  },
];

let models: FakeModels;
let test: TestRuntime;
let id: string;
beforeEach(async () => {
  vi.stubEnv("HOLDFAST_TEST_MODEL_KEY", KEY);
  models = await startFakeModels();
  const model = defineModel("local", {
    api: "anthropic",
    baseUrl: `${models.url}/v1`,
    model: "fake-1",
    apiKeyEnv: "HOLDFAST_TEST_MODEL_KEY",
  });
  test = await TestRuntime.open({ models: [model] });
  id = await test.createSession({ provider: "local", metadata: { tools: TOOLS } });
});
afterEach(async () => {
  await test.close();
  await models.close();
  vi.unstubAllEnvs();
});

async function asked(count = 1): Promise<readonly Suspension[]> {
  const { session } = await test.until(id, (whole) => whole.session.suspensions.length === count);
  return session.suspensions;
}

const answer = async (suspension: Suspension | undefined, result: unknown) =>
  ok(
    await test.runtime.answer({
      sessionId: id,
      suspensionId: suspension?.id ?? "",
      answer: result as string,
      by: "ada",
    }),
  );

describe("a model as provider", () => {
  it("says that it uses no MCP servers and no directories of the session (D3)", async () => {
    const docs = path.join(test.folder, "root", "docs");
    mkdirSync(docs);
    const changes = {
      mcpServers: { own: { type: "stdio", command: "/bin/true", args: [], env: {}, envFrom: {} } },
      directories: [docs],
    } as const;
    ok(await test.runtime.updateSession({ sessionId: id, changes }));
    await test.send(id, "Hello");
    const { messages } = await test.idle(id);
    expect(messages.filter(({ content }) => content["notice"] === "connections")).toMatchObject([
      {
        content: {
          text:
            "The MCP server own is left out: local is a model, which uses no MCP servers.\n" +
            `The directory ${docs} is left out: local is a model, which reads no files.`,
        },
      },
    ]);
  });

  it("answers, thinks, and what it used is recorded (C2)", async () => {
    await test.send(id, "THINK");
    const whole = await test.idle(id);
    expect(transcript(whole)).toEqual([
      "user THINK",
      'thought "Let me think about this."',
      "agent After a thought: 42.",
    ]);
    expect(whole.messages.every(({ complete }) => complete)).toBe(true);
    const runs = await test.store.readRuns(id);
    expect(runs).toMatchObject([
      {
        provider: "local",
        status: "completed",
        stopReason: "end_turn",
        memory: { how: "none" },
        usage: { inputTokens: 2, outputTokens: 11, totalTokens: 13 },
      },
    ]);
  });

  it("leaves a tool to the client: the run is suspended, and goes on with the result (C3)", async () => {
    await test.send(id, 'TOOL weather {"place":"Rome"}');
    const [suspension] = await asked();
    expect(suspension).toMatchObject({
      kind: "tool_result",
      request: { title: "weather", tool: "weather", args: { place: "Rome" } },
    });
    const waiting = await test.read(id);
    expect(waiting.session.state).toBe("suspended");
    expect(transcript(waiting).slice(1)).toEqual([
      "agent I need something. ",
      "tool weather pending",
    ]);
    await answer(suspension, { sky: "blue" });
    const whole = await test.idle(id);
    expect(transcript(whole).slice(1)).toEqual([
      "agent I need something. ",
      "tool weather completed",
      'agent The tool said: {"sky":"blue"}',
    ]);
    expect(whole.messages[2]).toMatchObject({
      complete: true,
      content: { type: "tool", tool: "weather", args: { place: "Rome" }, result: { sky: "blue" } },
    });
    const [run] = await test.store.readRuns(id);
    const [first, second] = models.requests.map(({ asked: request }) => request);
    expect(first?.tools).toEqual([
      { name: "weather", inputSchema: expect.objectContaining(TOOLS[0]?.inputSchema ?? {}) },
    ]);
    expect(second?.said.filter(({ by }) => by === "tool")).toEqual([
      { by: "tool", text: '{"sky":"blue"}' },
    ]);
    expect(run).toMatchObject({
      status: "completed",
      usage: { outputTokens: Math.ceil(18 / 4) + Math.ceil(30 / 4) },
    });
  });

  it.each([
    ["a restart", () => test.stop().then(() => test.start())],
    ["a crash", () => test.restartAfterCrash()],
  ])(
    "waits for several results, through %s of the server, and asks for nothing twice (C3)",
    async (_, restart) => {
      await test.send(id, 'TOOL weather {"place":"Rome"}\nTOOL weather {"place":"Oslo"}');
      // Asked in the same moment, they may be listed in either order.
      const both = await asked(2);
      const rome = both.find(({ request }) => JSON.stringify(request["args"]).includes("Rome"));
      await answer(rome, "sun");
      await restart();
      const [oslo] = await asked(1);
      expect(oslo?.request).toMatchObject({ args: { place: "Oslo" } });
      await answer(oslo, "snow");
      const whole = await test.idle(id);
      expect(transcript(whole).slice(1)).toEqual([
        "agent I need something. ",
        "tool weather completed",
        "tool weather completed",
        "agent The tool said: sun | snow",
      ]);
      expect(models.requests.length).toBe(2);
    },
  );

  it("gets a result that arrives while the server takes its session up after a start (C3)", async () => {
    await test.send(id, 'TOOL weather {"place":"Rome"}');
    const [rome] = await asked();
    await test.stop();
    const reached = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const { store } = test;
    let isClaimed = false;
    // Recovery reads the session again right after its claim.
    test.store = {
      ...store,
      load: async (sessionId) => {
        if (isClaimed) {
          isClaimed = false;
          reached.resolve();
          await answered.promise;
        }
        return store.load(sessionId);
      },
    };
    await test.restartWith({
      failpoint: (name) => void (isClaimed ||= name === "recovery.claimed"),
    });
    await reached.promise;
    await answer(rome, "sun");
    answered.resolve();
    expect(transcript(await test.idle(id)).slice(1)).toEqual([
      "agent I need something. ",
      "tool weather completed",
      "agent The tool said: sun",
    ]);
  });

  it("is told that a call came to nothing when the run was cancelled meanwhile (C3)", async () => {
    await test.send(id, "TOOL weather {}");
    await asked();
    ok(await test.runtime.cancel({ sessionId: id, reason: "enough" }));
    await test.idle(id);
    await test.send(id, "PING");
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent PONG");
    expect(models.requests[1]?.asked?.said).toEqual([
      { by: "user", text: "TOOL weather {}" },
      { by: "model", text: "I need something. " },
      { by: "tool", text: "The run ended before there was a result." },
      { by: "user", text: "[Cancelled: enough]" },
      { by: "user", text: "PING" },
    ]);
  });

  it("stops in the middle of its answer when the run is cancelled", async () => {
    await test.send(id, "SLOW");
    await test.until(id, ({ messages }) => messages.some(({ role }) => role === "agent"));
    ok(await test.runtime.cancel({ sessionId: id, reason: "enough" }));
    const whole = await test.idle(id);
    expect(whole.messages.at(-1)?.content["notice"]).toBe("run_cancelled");
    await models.until(({ outcome }) => outcome === "aborted");
    await test.send(id, "PING");
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent PONG");
  });

  it("is asked again when it was asked too often, and after the pause it named (C4)", async () => {
    const before = Date.now();
    await test.send(id, "ERR 429 x1");
    const whole = await test.idle(id);
    expect(Date.now() - before).toBeGreaterThanOrEqual(1_000);
    expect(whole.messages.map(({ content }) => content["notice"] ?? content["text"])).toEqual([
      "ERR 429 x1",
      "run_retried",
      "PONG",
    ]);
  });

  it("is asked again with a tool's result when the service was away (C4)", async () => {
    await test.send(id, "Hello. TOOL weather {}");
    const [suspension] = await asked();
    await models.close();
    await answer(suspension, "sun");
    await test.until(id, ({ messages }) =>
      messages.some(({ content }) => content["notice"] === "run_retried"),
    );
    models = await startFakeModels({ port: models.port });
    const whole = await test.idle(id);
    expect(transcript(whole).at(-1)).toBe("agent The tool said: sun");
  });

  it("that refuses the key ends the run with a hint, and nobody sees the key (C4)", async () => {
    await test.send(id, "ERR 401");
    const whole = await test.idle(id);
    expect(whole.messages.at(-1)?.content).toMatchObject({
      notice: "run_failed",
      code: "agent_needs_login",
      text: "Failed: local answered with HTTP 401: check HOLDFAST_TEST_MODEL_KEY",
    });
    expect(JSON.stringify([whole, test.logged])).not.toContain(KEY);
    await test.send(id, "PING");
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent PONG");
  });

  it("knows what an agent was told before it, and the agent what it was told (C2)", async () => {
    await test.send(id, script(say("I am an agent.")), { provider: "scripted" });
    await test.idle(id);
    await test.send(id, "Remember the number 7.");
    await test.idle(id);
    await test.send(id, "RECALL");
    const whole = await test.idle(id);
    expect(transcript(whole).at(-1)).toContain("I am an agent.");
    expect(transcript(whole).at(-1)).toContain("Remember the number 7.");
    await test.send(id, script(echo()), { provider: "scripted" });
    const last = await test.idle(id);
    expect(transcript(last).at(-1)).toContain("Remember the number 7.");
    expect(transcript(last).filter((line) => line.startsWith("system "))).toEqual([
      "system local goes on in place of scripted. It is given all 2 earlier messages.",
      expect.stringMatching(/^system scripted goes on in place of local\. It was briefed with/u),
    ]);
    const runs = await test.store.readRuns(id);
    expect(runs.map(({ provider, memory }) => [provider, memory?.how])).toEqual([
      ["scripted", "none"],
      ["local", "told"],
      ["local", "told"],
      ["scripted", "briefed"],
    ]);
  });
});
