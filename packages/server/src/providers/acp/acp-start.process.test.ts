import {
  chmodSync,
  mkdirSync,
  openSync,
  closeSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  openAgentRig,
  promptOf,
  type AgentRig,
  type RigOptions,
  withoutReply,
} from "../testing/agent-rig.ts";
import {
  exit,
  noise,
  say,
  silent,
  stderr,
  stranger,
  tell,
  wait,
  type Step,
} from "../testing/script.ts";
import { startFault } from "./process/spawn-agent.ts";

/** Returns the fault of a failed start, and checks that no process is left. */
async function faultOfStart(
  options: RigOptions,
  request?: Parameters<AgentRig["start"]>[0],
): Promise<unknown> {
  const rig = openAgentRig(options);
  const fault: unknown = await rig.start(request).then(
    () => "started",
    (error: unknown) => error,
  );
  expect(await rig.leftovers()).toEqual([]);
  return fault;
}

describe("an agent that starts", () => {
  it("is offered neither files nor terminals, and gets the path of its folder", async () => {
    const rig = openAgentRig();
    const agent = await rig.start();
    expect(rig.received()).toEqual([
      {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: {
          protocolVersion: 1,
          clientInfo: { name: "holdfast", title: "Holdfast", version: "0.0.0" },
          clientCapabilities: {
            auth: { terminal: true },
            _meta: { "terminal-auth": true, terminal_output: true, terminal_output_delta: true },
            fs: { readTextFile: false, writeTextFile: false },
            terminal: false,
            elicitation: { form: {}, url: {} },
            session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
            subagents: {},
          },
        },
      },
      {
        jsonrpc: "2.0",
        id: 2,
        method: "session/new",
        params: { cwd: rig.folder, mcpServers: [] },
      },
    ]);
    expect(agent).toMatchObject({ provider: "scripted", memory: "none", supportsResume: false });
  });

  it("gets its tools with its marker, and their secrets stay out of the journal", async () => {
    const server = {
      name: "tools",
      command: "/usr/bin/tools",
      args: ["--stdio"],
      env: { TOOLS_TOKEN: "tok-3141592" },
    };
    const rig = openAgentRig({ provider: { toolsFor: async () => [server] } });
    const agent = await rig.start();
    const made = rig.received().find(({ method }) => method === "session/new");
    expect(made?.params?.["mcpServers"]).toEqual([
      {
        name: "tools",
        command: "/usr/bin/tools",
        args: ["--stdio"],
        env: [
          { name: "HOLDFAST_AGENT", value: expect.stringContaining(`${rig.owner}:`) },
          { name: "TOOLS_TOKEN", value: "tok-3141592" },
        ],
      },
    ]);
    await agent.stop({ urgent: true });
    const journal = readFileSync(path.join(rig.folder, "journal", "session-1.jsonl"), "utf8");
    expect(journal).toContain("mcpServers");
    expect(journal).not.toContain("tok-3141592");
  });

  it("gets no tools if its definition turns them off", async () => {
    const rig = openAgentRig({
      definition: { tools: false },
      provider: { toolsFor: () => Promise.reject(new Error("nobody asked")) },
    });
    await rig.start();
    expect(rig.received().at(-1)?.params).toEqual({ cwd: rig.folder, mcpServers: [] });
  });

  it("works in the folder that was opened, not in one that replaced it", async () => {
    const rig = openAgentRig();
    const folder = path.join(rig.folder, "repository");
    mkdirSync(folder);
    const descriptor = openSync(folder, "r");
    onTestFinished(() => closeSync(descriptor));
    const agent = await rig.start({ workspace: { path: folder, descriptor } });
    await agent.prompt(promptOf(tell("cwd")));
    expect(rig.text()).toBe(`cwd: ${realpathSync(folder)}`);

    renameSync(folder, `${folder}-moved`);
    mkdirSync(folder);
    await expect(rig.start({ workspace: { path: folder, descriptor } })).rejects.toMatchObject({
      code: "agent_not_started",
      message: `${folder} is no longer the folder that was opened`,
    });
  });

  it("gets only permitted variables and its marker", async () => {
    const rig = openAgentRig({
      env: { MINE: "1" },
      definition: { passes: ["KEY_OF_MINE"] },
      provider: {
        environment: {
          PATH: process.env["PATH"],
          HOME: "/home",
          KEY_OF_MINE: "abc",
          KEY_OF_OTHERS: "xyz",
          HOLDFAST_TOKEN: "token",
        },
      },
    });
    const agent = await rig.start();
    await agent.prompt(promptOf(tell("variables")));
    expect(rig.text()).toBe(
      "variables: HOLDFAST_AGENT HOME KEY_OF_MINE MINE PATH PWD SCRIPTED_AGENT",
    );
  });

  it("gets its folder in its arguments", async () => {
    const rig = openAgentRig({
      definition: {
        command: ["sh", "-c", `echo "root=$1" >&2; exit 3`, "name", "{workspace}/x"],
      },
    });
    await expect(rig.start()).rejects.toMatchObject({ detail: `root=${rig.folder}/x\n` });
  });

  it("may write noise, be slow, and send updates before the reply to session/new", async () => {
    const rig = openAgentRig({
      at: {
        start: [noise("Loading…"), noise('{"level":"info"}')],
        initialize: [wait(100), noise("")],
        session: [say("early"), stranger("of another"), noise("warming up")],
        sessionReady: [say(", ready")],
      },
    });
    const agent = await rig.start();
    await agent.prompt(promptOf(say(", at work")));
    expect(rig.text()).toBe("early, ready, at work");
  });

  it("is set to its mode, as an option or by session/set_mode", async () => {
    for (const modesAs of ["config", "modes"] as const) {
      const rig = openAgentRig({ modes: ["auto", "ask"], modesAs, definition: { mode: "ask" } });
      const agent = await rig.start();
      await agent.prompt(promptOf(tell("mode")));
      expect(rig.text()).toBe("mode: ask");
    }
  });

  it("is set to its model, and to another one that a prompt names (C2)", async () => {
    for (const modelsAs of ["config", "legacy"] as const) {
      const rig = openAgentRig({ models: ["small", "large"], modelsAs });
      const agent = await rig.start({ model: "large" });
      await agent.prompt(promptOf(tell("model"), say(" ")));
      await agent.prompt({ ...promptOf(tell("model"), say(" ")), model: "small" });
      await agent.prompt({ ...promptOf(tell("model")), model: "small" });
      expect(rig.text()).toBe("model: large model: small model: small");
      const sets = rig.received().filter(({ method = "" }) => method.startsWith("session/set_"));
      expect(sets).toHaveLength(2);
      await expect(agent.prompt({ ...promptOf(), model: "huge" })).rejects.toMatchObject({
        code: "agent_failed",
        message: "Scripted agent does not accept the model huge: it offers small, large",
      });
      await agent.prompt(promptOf(say(", still there")));
      expect(rig.text()).toMatch(/, still there$/);
    }
  });

  it("reports commands, modes and models in the description of its provider", async () => {
    const rig = openAgentRig({
      models: ["small", "large"],
      modes: ["ask"],
      definition: { models: ["large", "extra"], install: "npm install scripted" },
    });
    const before = await rig.provider.describe();
    expect(before).toMatchObject({
      name: "scripted",
      title: "Scripted agent",
      installed: true,
      install: "npm install scripted",
      login: null,
      version: null,
      models: [
        { id: "large", name: "large" },
        { id: "extra", name: "extra" },
      ],
      modes: [],
      capabilities: null,
    });
    await rig.start();
    expect(await rig.provider.describe()).toMatchObject({
      models: [
        { id: "large", name: "large" },
        { id: "extra", name: "extra" },
        { id: "small", name: "SMALL" },
      ],
      modes: [{ id: "ask", name: "ASK" }],
      capabilities: { agentInfo: { name: "scripted" }, agentCapabilities: { loadSession: false } },
    });
  });
});

describe("a login", () => {
  const methods = [
    { id: "browser", name: "Log in", description: "With a browser" },
    { id: "key", name: "Key", type: "env_var", vars: [{ name: "TOOL_KEY" }] },
    { id: "company", name: "Company key", _meta: { "api-key": { provider: "google" } } },
  ];

  it("that needs a person is an error with the methods of the agent", async () => {
    expect(await faultOfStart({ auth: { methods, accepts: "browser" } })).toMatchObject({
      code: "agent_needs_login",
      message: "Scripted agent requires a login; it offers Log in, Key, Company key",
      detail: "Log in (browser): With a browser\nKey (key)\nCompany key (company)",
      isPassing: false,
    });
  });

  it("uses the configured method, or one whose key is set", async () => {
    const ways: readonly RigOptions[] = [
      { auth: { methods, accepts: "browser" }, definition: { authMethod: "browser" } },
      { auth: { methods, accepts: "key" }, env: { TOOL_KEY: "k" } },
      { auth: { methods, accepts: "company" }, env: { GEMINI_API_KEY: "k" } },
    ];
    for (const way of ways) {
      const rig = openAgentRig(way);
      const agent = await rig.start();
      await expect(agent.prompt(promptOf())).resolves.toMatchObject({ stopReason: "end_turn" });
    }
  });

  it("that fails is the same error", async () => {
    expect(
      await faultOfStart({ auth: { methods, accepts: "nothing" }, env: { TOOL_KEY: "wrong" } }),
    ).toMatchObject({ code: "agent_needs_login" });
  });
});

describe("an agent that cannot start", () => {
  it("is not installed if its program is not found", async () => {
    expect(
      await faultOfStart({
        definition: { command: ["no-such-program", "--acp"], install: "npm install it" },
      }),
    ).toMatchObject({
      code: "agent_not_installed",
      message:
        "Scripted agent is not installed: program no-such-program not found; install it with: npm install it",
    });
    const rig = openAgentRig({
      definition: { pathVariable: "TOOL_PATH" },
      provider: { environment: { ...process.env, TOOL_PATH: "/no/such" } },
    });
    expect(await rig.provider.describe()).toMatchObject({ installed: false });
    await expect(rig.start()).rejects.toMatchObject({ code: "agent_not_installed" });
  });

  it("is not started in a missing folder or without its interpreter", async () => {
    const rig = openAgentRig();
    await expect(
      rig.start({ workspace: { path: path.join(rig.folder, "gone"), descriptor: null } }),
    ).rejects.toMatchObject({
      code: "agent_not_started",
      message: `${rig.folder}/gone does not exist`,
      isPassing: false,
    });

    const file = path.join(rig.folder, "program");
    writeFileSync(file, "#!/no/such/interpreter\n");
    chmodSync(file, 0o755);
    const broken = openAgentRig({ definition: { command: [file] } });
    await expect(broken.start()).rejects.toMatchObject({
      code: "agent_not_started",
      message: `${file} cannot be started: its interpreter does not exist`,
      isPassing: false,
    });
  });

  it("can be retried if the machine lacks a resource (C4)", () => {
    const where = { program: "x", folder: "/", workspace: { path: "/", descriptor: null } };
    for (const code of ["EAGAIN", "ENOMEM", "EMFILE", "ENFILE"]) {
      const fault = startFault(Object.assign(new Error(`spawn x ${code}`), { code }), where);
      expect(fault).toMatchObject({ code: "agent_not_started", isPassing: true });
    }
  });

  const ends: readonly (readonly [string, RigOptions])[] = [
    ["before initialize", { at: { start: [stderr("oh no"), exit({ code: 3 })] } }],
    ["during initialize", { at: { initialize: [exit({ code: 3, stderr: "oh no" })] } }],
    ["after initialize", { at: { initialized: [exit({ code: 3, stderr: "oh no" })] } }],
    ["during session/new", { at: { session: [exit({ code: 3, stderr: "oh no" })] } }],
  ];
  it.each(ends)("reports its exit code if it exits %s", async (_when, options) => {
    expect(await faultOfStart(options)).toMatchObject({
      code: "agent_exited",
      message: "Scripted agent exited with code 3",
      detail: "oh no",
    });
  });

  it("reports the signal that ended it", async () => {
    expect(await faultOfStart({ at: { session: [exit({ signal: "SIGKILL" })] } })).toMatchObject({
      code: "agent_exited",
      message: "Scripted agent was terminated by SIGKILL",
    });
  });

  const silences: readonly (readonly [string, Step[], string])[] = [
    ["initialize", [silent()], "initialize"],
    ["session", [silent()], "session/new"],
  ];
  it.each(silences)("is unresponsive if it does not reply to %s", async (point, steps, method) => {
    const rig = openAgentRig({ at: { [point]: steps } });
    await expect(withoutReply(rig, method, () => rig.start())).rejects.toMatchObject({
      code: "agent_unresponsive",
      message: `Scripted agent: No reply to ${method} in 60000 ms`,
      isPassing: true,
    });
    expect(await rig.leftovers()).toEqual([]);
  });

  it("is stopped if the start is aborted", async () => {
    const abort = new AbortController();
    const rig = openAgentRig({ at: { initialize: [noise("here"), silent()] } });
    const starting = rig.start({ signal: abort.signal });
    await expect.poll(() => rig.leftovers()).toHaveLength(1);
    abort.abort();
    await expect(starting).rejects.toMatchObject({
      code: "agent_not_started",
      message: "Scripted agent was aborted while it started",
    });
    expect(await rig.leftovers()).toEqual([]);
    await expect(rig.start({ signal: abort.signal })).rejects.toMatchObject({
      code: "agent_not_started",
    });
  });

  it("is unintelligible if it speaks another version", async () => {
    expect(await faultOfStart({ protocolVersion: 2 })).toMatchObject({
      code: "agent_unintelligible",
      message: "Scripted agent speaks version 2 of the protocol, not 1",
    });
  });

  it("has failed if it refuses the mode or the model", async () => {
    expect(await faultOfStart({ modes: ["a", "b"], definition: { mode: "ask" } })).toMatchObject({
      code: "agent_failed",
      message: "Scripted agent does not accept the mode ask: it offers a, b",
      detail: "no such mode: ask",
    });
    expect(await faultOfStart({}, { model: "large" })).toMatchObject({
      code: "agent_failed",
      message: "Scripted agent does not accept the model large: it offers no choice",
    });
  });
});
