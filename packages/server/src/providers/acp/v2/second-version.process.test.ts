import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AgentFault } from "../../provider.ts";
import { openAgentRig, promptOf, type RigOptions } from "../../testing/agent-rig.ts";
import {
  ask,
  elicit,
  exit,
  fail,
  recall,
  say,
  silent,
  stop,
  tell,
  think,
  tool,
  update,
  waitFor,
} from "../../testing/script.ts";

const SECOND: RigOptions = { secondVersion: "speaks", definition: { protocol: 2 } };

describe("the version", () => {
  it.each([2, "auto"] as const)("is 2 if the agent has it (%s)", async (protocol) => {
    const rig = openAgentRig({ ...SECOND, definition: { protocol } });
    const agent = await rig.start();
    expect(await agent.prompt(promptOf(say("Hello.")))).toEqual({
      stopReason: "end_turn",
      usage: null,
    });
    expect(rig.text()).toBe("Hello.");
    const [hello] = rig.received();
    expect(hello?.params).toMatchObject({ protocolVersion: 2, info: { name: "holdfast" } });
    expect(hello?.params?.["clientInfo"] !== undefined).toBe(protocol === "auto");
    const { capabilities } = await rig.provider.describe();
    expect(capabilities).toMatchObject({ agentInfo: { name: "scripted", protocolVersion: 2 } });
  });

  it.each<[string, RigOptions]>([
    ["knows no other", {}],
    ["only repeats the number", { protocolVersion: 2 }],
    ["refuses version 2", { secondVersion: "refuses" }],
  ])("is 1 with an agent that %s", async (_how, options) => {
    const rig = openAgentRig({ ...options, definition: { protocol: "auto" } });
    const agent = await rig.start();
    await agent.prompt(promptOf(say("Hello.")));
    expect(rig.text()).toBe("Hello.");
    const hellos = rig.received().filter(({ method }) => method === "initialize");
    expect(hellos.at(-1)?.params).toMatchObject({
      clientInfo: { name: "holdfast" },
      clientCapabilities: { terminal: false },
    });
    expect(hellos).toHaveLength(options.secondVersion === "refuses" ? 2 : 1);
  });

  it.each<[string, RigOptions, string]>([
    ["knows only 1", {}, "Scripted agent speaks version 1 of the protocol, not 2"],
    [
      "only repeats the number",
      { protocolVersion: 2 },
      "Scripted agent speaks version 1, although it says 2, of the protocol, not 2",
    ],
  ])("must be 2 if that was chosen, and the agent %s", async (_how, options, message) => {
    const rig = openAgentRig({ ...options, definition: { protocol: 2 } });
    await expect(rig.start()).rejects.toMatchObject({ code: "agent_unintelligible", message });
  });
});

describe("a prompt in version 2", () => {
  it("ends with the state that says so, not with the reply", async () => {
    const rig = openAgentRig(SECOND);
    const agent = await rig.start();
    const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 7 };
    const end = await agent.prompt(promptOf(think("Hm."), say("Yes."), stop("max_tokens", usage)));
    expect(end).toEqual({ stopReason: "max_tokens", usage });
    expect(rig.reports).toMatchObject([
      { report: "text", voice: "thought", text: "Hm." },
      { report: "text", voice: "answer", text: "Yes." },
    ]);
    await agent.prompt(promptOf(say("Again.")));
    expect(rig.text()).toBe("Hm.Yes.Again.");
  });

  it.each([
    [-32000, "agent_needs_login"],
    [429, "agent_rate_limited"],
    [-32603, "agent_failed"],
  ])("fails with the error of the state (%i)", async (code, fault) => {
    const rig = openAgentRig(SECOND);
    const agent = await rig.start();
    const prompt = agent.prompt(promptOf(say("Well"), fail({ code, message: "No." })));
    await expect(prompt).rejects.toMatchObject({ code: fault, message: "Scripted agent: No." });
    await agent.prompt(promptOf(say("Better.")));
    expect(rig.text()).toBe("WellBetter.");
  });

  it("can be cancelled", async () => {
    const rig = openAgentRig(SECOND);
    const agent = await rig.start();
    const prompt = agent.prompt(promptOf(say("Begun."), silent()));
    await rig.reported("text");
    expect(await agent.cancel()).toBe("settled");
    expect(await prompt).toEqual({ stopReason: "cancelled", usage: null });
  });

  it("fails if the agent exits", async () => {
    const rig = openAgentRig(SECOND);
    const agent = await rig.start();
    const prompt = agent.prompt(promptOf(say("Bye."), exit({ code: 3 })));
    await expect(prompt).rejects.toMatchObject({
      code: "agent_exited",
      message: "Scripted agent exited with code 3",
    });
  });

  it("asks for permission with the call, and hears the answer", async () => {
    const rig = openAgentRig(SECOND);
    const agent = await rig.start();
    const prompt = agent.prompt(
      promptOf(
        tool({ id: "call-1", title: "Run it", kind: "execute", ends: null }),
        ask({ id: "call-1", title: "ls", input: { command: "ls" } }),
      ),
    );
    const { requestId, request } = await rig.reported("permission");
    expect(request).toMatchObject({
      title: "ls",
      toolCallId: "call-1",
      kind: "execute",
      input: { command: "ls" },
      options: [{ optionId: "allow" }, { optionId: "reject" }],
    });
    expect(agent.answer(requestId, { outcome: "selected", optionId: "allow" })).toBe(true);
    await prompt;
    expect(rig.text()).toBe("answer: allow");
  });

  it("asks for input, and hears the answer (D1)", async () => {
    const rig = openAgentRig(SECOND);
    const agent = await rig.start();
    const requestedSchema = { type: "object", properties: { colour: { type: "string" } } };
    const prompt = agent.prompt(
      promptOf(elicit({ mode: "form", message: "Which colour?", requestedSchema })),
    );
    const { requestId, request } = await rig.reported("elicitation");
    expect(request).toMatchObject({ message: "Which colour?", mode: "form" });
    agent.answer(requestId, { action: "accept", content: { colour: "blue" } });
    await prompt;
    expect(rig.text()).toContain('"colour":"blue"');
    const [hello] = rig.received();
    expect(hello?.params).toMatchObject({ capabilities: { elicitation: { form: {} } } });
  });

  it("withdraws a question at a cancel", async () => {
    const rig = openAgentRig(SECOND);
    const agent = await rig.start();
    const prompt = agent.prompt(promptOf(ask({ id: "call-1", title: "ls", impatient: true })));
    await rig.reported("permission");
    expect(await agent.cancel()).toBe("settled");
    expect((await prompt).stopReason).toBe("cancelled");
  });
});

describe("a session in version 2", () => {
  it("is resumed without its history", async () => {
    const rig = openAgentRig(SECOND);
    const first = await rig.start();
    await first.prompt(promptOf(say("One.")));
    await first.stop({ urgent: true });
    const second = await rig.start({ resume: first.resumeData });
    expect(second.memory).toBe("resumed");
    const [resume] = rig.received().filter(({ method }) => method === "session/resume");
    expect(resume?.params).not.toHaveProperty("replayFrom");
    await second.prompt(promptOf(recall()));
    expect(rig.text()).toMatch(/^One\.recall: @say /u);
  });

  it("is a new one if the agent does not find the old one", async () => {
    const rig = openAgentRig({ ...SECOND, resume: "error" });
    const agent = await rig.start({ resume: { sessionId: "lost", createdAt: 0 } });
    expect(agent.memory).toBe("none");
  });

  it("needs a login, which is sent by its new name", async () => {
    const methods = [{ id: "key", name: "Key", vars: [{ name: "SCRIPTED_KEY" }] }];
    const rig = openAgentRig({
      ...SECOND,
      auth: { methods, accepts: "key" },
      env: { SCRIPTED_KEY: "a-value-for-the-test" },
    });
    await rig.start();
    expect(rig.received().map(({ method }) => method)).toEqual([
      "initialize",
      "session/new",
      "auth/login",
      "session/new",
    ]);
  });

  it("is logged in and out by an agent that was started for that only (D1)", async () => {
    const methods = [{ id: "key", name: "Key" }];
    const rig = openAgentRig({ ...SECOND, auth: { methods, accepts: "key" } });
    const login = await rig.provider.startLogin?.({
      signal: new AbortController().signal,
      onPage: () => {},
      isAtTerminal: false,
    });
    expect(login?.methods).toMatchObject([{ id: "key", name: "Key" }]);
    await login?.logIn("key");
    await login?.logOut();
    await login?.stop();
    expect(rig.received().map(({ method }) => method)).toEqual([
      "initialize",
      "auth/login",
      "auth/logout",
    ]);
  });

  it("has its mode and model set as options (D3)", async () => {
    const rig = openAgentRig({
      ...SECOND,
      modes: ["plan", "build"],
      modesAs: "config",
      models: ["small", "large"],
      definition: { protocol: 2, mode: "build" },
    });
    const agent = await rig.start({ model: "large" });
    await agent.prompt(promptOf(tell("mode"), tell("model")));
    expect(rig.text()).toContain("build");
    expect(rig.text()).toContain("large");
    const sets = rig.received().filter(({ method }) => method === "session/set_config_option");
    const values = new Map(sets.map(({ params }) => [params?.["configId"], params]));
    expect(values.get("mode")).toMatchObject({ type: "id", value: "build" });
    expect(values.get("model")).toMatchObject({ type: "id", value: "large" });
  });

  it("gets its MCP servers with their type", async () => {
    const rig = openAgentRig({
      ...SECOND,
      provider: {
        toolsFor: () => Promise.resolve([{ name: "t", command: "/bin/true", args: [], env: {} }]),
      },
    });
    await rig.start();
    const [created] = rig.received().filter(({ method }) => method === "session/new");
    expect(created?.params).toMatchObject({ mcpServers: [{ type: "stdio", name: "t" }] });
  });
});

describe("output in version 2", () => {
  const bytes = Buffer.from("Grüße, 世界\n");
  const chunkOf = (from: number, to: number): unknown => ({
    sessionUpdate: "terminal_output_chunk",
    terminalId: "term-1",
    data: bytes.subarray(from, to).toString("base64"),
  });

  it("of a terminal is complete, live, and not repeated", async () => {
    const rig = openAgentRig(SECOND);
    const agent = await rig.start();
    const file = `${rig.folder}/go-on`;
    const prompt = agent.prompt(
      promptOf(
        update({
          sessionUpdate: "tool_call_update",
          toolCallId: "call-1",
          title: "Greet",
          kind: "execute",
          status: "in_progress",
          content: [{ type: "terminal", terminalId: "term-1" }],
        }),
        update(chunkOf(0, 4)),
        update(chunkOf(4, 11)),
        waitFor(file),
        update(chunkOf(11, bytes.length)),
        update({
          sessionUpdate: "terminal_update",
          terminalId: "term-1",
          output: { data: bytes.toString("base64") },
          exitStatus: { exitCode: 2 },
        }),
        update({ sessionUpdate: "tool_call_update", toolCallId: "call-1", status: "failed" }),
      ),
    );
    await rig.reported("output", ({ text }) => text === "ße, ");
    writeFileSync(file, "");
    await prompt;
    const last = rig.reports.findLast(({ report }) => report === "tool");
    expect(last).toMatchObject({
      ended: true,
      content: {
        status: "failed",
        output: [{ type: "terminal", text: "Grüße, 世界\n", exitCode: 2 }],
      },
    });
  });

  it("that no call mentions becomes a call of its own", async () => {
    const rig = openAgentRig(SECOND);
    const agent = await rig.start();
    await agent.prompt(
      promptOf(
        update({ sessionUpdate: "terminal_update", terminalId: "term-1", command: "greet" }),
        update(chunkOf(0, bytes.length)),
      ),
    );
    expect(rig.reports.at(-1)).toMatchObject({
      report: "tool",
      content: { title: "greet", output: [{ type: "terminal", text: "Grüße, 世界\n" }] },
    });
  });

  it("contains no secret, and neither does the journal, even if it comes in pieces", async () => {
    const key = "sk-secret-key-0123456789";
    const rig = openAgentRig({ ...SECOND, env: { SCRIPTED_KEY: key } });
    const agent = await rig.start();
    const piece = (text: string): unknown => ({
      sessionUpdate: "terminal_output_chunk",
      terminalId: "call-1",
      data: Buffer.from(text).toString("base64"),
    });
    await agent.prompt(
      promptOf(
        tool({ id: "call-1", title: "env", ends: null }),
        update(piece(`KEY=${key.slice(0, 11)}`)),
        update(piece(`${key.slice(11)} and ${key}`)),
      ),
    );
    await agent.stop({ urgent: true });
    const shown = JSON.stringify(rig.reports);
    // The prompt has the pieces, too: only the agent's own lines count.
    const stored = rig
      .journal()
      .split("\n")
      .filter((line) => line.includes('"update\\":{\\"sessionUpdate\\":\\"terminal_'))
      .join("\n");
    expect(stored).toContain("KEY=");
    for (const text of [shown, stored]) {
      expect(text).not.toContain(key.slice(11));
      expect(text).not.toContain(Buffer.from(key.slice(11)).toString("base64").slice(0, 12));
    }
    expect(shown).toContain("KEY=");
  });

  it("of a message is not shown twice, whatever comes again", async () => {
    const rig = openAgentRig(SECOND);
    const agent = await rig.start();
    const whole = (text: string): unknown => ({
      sessionUpdate: "agent_message",
      messageId: "m",
      content: [{ type: "text", text }],
    });
    await agent.prompt(promptOf(say("One", "m"), update(whole("One")), update(whole("One, two"))));
    await agent.prompt(promptOf(update(whole("One, two")), update(whole("One")), say("!", "m2")));
    expect(rig.text()).toBe("One, two!");
  });

  it("of an unknown kind is in the journal and shows nothing", async () => {
    const rig = openAgentRig(SECOND);
    const agent = await rig.start();
    const end = await agent.prompt(
      promptOf(
        update({ sessionUpdate: "_vendor_thing", value: "strange-1" }),
        update({ sessionUpdate: "state_update", state: "pondering", value: "strange-2" }),
        update({
          sessionUpdate: "state_update",
          state: "running",
          background: [{ type: "tool_call", toolCallId: "b" }, { type: "_x" }],
        }),
        update({
          sessionUpdate: "tool_call_update",
          toolCallId: "c",
          kind: "_new",
          status: "_odd",
          content: [{ type: "_hologram", value: "strange-3" }],
        }),
        update({ sessionUpdate: "terminal_update", terminalId: 7 }),
        update({ sessionUpdate: "agent_message", messageId: null, content: "strange-4" }),
        stop("_bored"),
      ),
    );
    expect(end.stopReason).toBe("_bored");
    await agent.stop({ urgent: true });
    for (const number of [1, 2, 3, 4]) expect(rig.journal()).toContain(`strange-${number}`);
    expect(rig.reports.map(({ report }) => report)).toEqual(["tool", "tool"]);
  });
});

it("an error that is no reply is a fault of the agent", async () => {
  const rig = openAgentRig({
    ...SECOND,
    at: { session: [fail({ code: -32603, message: "Broken" })] },
  });
  await expect(rig.start()).rejects.toBeInstanceOf(AgentFault);
});
