import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { choose, script, tell } from "../../providers/testing/script.ts";
import type { ScriptedDefinition } from "../../providers/testing/scripted-provider.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";
import type { WantedChange } from "./option-types.ts";

let test: TestRuntime;
afterEach(() => test.close());

const EFFORT = { id: "effort", value: "medium", choices: ["low", "medium", "high"] };
const FAST = { id: "fast", value: false };
const ASKING: ScriptedDefinition = {
  modes: ["ask", "plan", "auto"],
  models: ["small", "large"],
  configs: [EFFORT, FAST],
};

/** Agents that reopen their session and have forgotten every setting. */
async function open(more: ScriptedDefinition = {}, engine?: "postgres"): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-settings-"));
  test = await TestRuntime.open({
    ...(engine !== undefined && { engine }),
    agents: [
      {
        name: "a",
        folder: path.join(folder, "a"),
        capabilities: { resume: true },
        ...ASKING,
        ...more,
      },
      { name: "b", folder: path.join(folder, "b"), capabilities: { load: true }, ...ASKING },
    ],
  });
  return test.createSession();
}

async function say(id: string, text: string, more = {}): Promise<string> {
  await test.send(id, text, more);
  return transcript(await test.idle(id)).at(-1) ?? "";
}

const patch = async (sessionId: string, settings: WantedChange) =>
  ok(await test.runtime.updateSession({ sessionId, changes: {}, settings })).session;

const values = async (sessionId: string): Promise<Record<string, unknown>> => {
  const { options } = ok(await test.runtime.readOptions(sessionId));
  return Object.fromEntries(options.map(({ id, value }) => [id, value]));
};

/** All that went between the server and the agents of the session. */
const readJournal = (sessionId: string): string =>
  readFileSync(path.join(test.folder, "journals", `${sessionId}.jsonl`), "utf8");

const MODE = script(tell("mode"));
const BOTH = script(tell("option", "effort"), tell("option", "fast"));

describe("the mode of a session", () => {
  it.each<[string, ScriptedDefinition]>([
    ["as modes", { modesAs: "modes" }],
    ["as an option", { modesAs: "config" }],
  ])("D3 that the agent left survives a kill of agent and server: %s", async (_, more) => {
    const id = await open({ ...more, definition: { mode: "plan" } });
    expect(await say(id, MODE)).toBe("agent mode: plan");
    expect(await say(id, script(choose("mode", "auto"), tell("mode")))).toBe("agent mode: auto");
    expect((await test.read(id)).session.settings).toEqual([
      { provider: "a", mode: "auto", options: {} },
    ]);
    await test.killAgents();
    expect(await say(id, MODE)).toBe("agent mode: auto");
    await test.restartAfterCrash();
    expect(await say(id, MODE)).toBe("agent mode: auto");
    // The configured mode is for new sessions.
    expect(await say(await test.createSession(), MODE)).toBe("agent mode: plan");
  });

  it("D3 is the one in which it began, even if the configuration changes", async () => {
    const id = await open();
    expect(await say(id, MODE)).toBe("agent mode: ask");
    const agents = [{ name: "a", ...ASKING, definition: { mode: "auto" } }];
    await test.restartWith({ agents });
    expect(await say(id, MODE)).toBe("agent mode: ask");
    expect(await say(await test.createSession(), MODE)).toBe("agent mode: auto");
  });

  it("D3 that cannot be had any more fails the run instead of another mode", async () => {
    const id = await open();
    await say(id, MODE);
    await test.restartWith({ agents: [{ name: "a", ...ASKING, modes: ["auto"] }] });
    expect(await say(id, MODE)).toMatch(
      /^system Failed: Scripted agent does not accept the mode ask: it offers auto/u,
    );
    await patch(id, { mode: "auto" });
    expect(await say(id, MODE)).toBe("agent mode: auto");
  });

  it("D3 can be chosen for one message, and is put back", async () => {
    const id = await open();
    expect(await say(id, MODE, { settings: { mode: "plan" } })).toBe("agent mode: plan");
    expect((await test.read(id)).session.settings).toMatchObject([{ mode: "ask" }]);
    expect(await say(id, MODE)).toBe("agent mode: ask");
    // What the agent does with the mode of one message ends with it, too.
    const left = script(choose("mode", "auto"), tell("mode"));
    expect(await say(id, left, { settings: { mode: "plan" } })).toBe("agent mode: auto");
    await test.killAgents();
    expect(await say(id, MODE)).toBe("agent mode: ask");
  });

  it("D3 of each agent comes back with it after a handover", async () => {
    const id = await open();
    await say(id, script(choose("mode", "plan")));
    await say(id, script(choose("mode", "auto")), { provider: "b" });
    expect(await say(id, MODE, { provider: "a" })).toBe("agent mode: plan");
    expect(await say(id, MODE, { provider: "b" })).toBe("agent mode: auto");
  });
});

describe("the options of a session", () => {
  it.each(["sqlite", "postgres"] as const)(
    "D3 are put back after a kill of agent and server, on %s",
    async (engine) => {
      const id = await open({}, engine === "postgres" ? engine : undefined);
      await say(id, BOTH);
      await patch(id, { options: { effort: "high", fast: true } });
      expect(await say(id, BOTH)).toBe("agent effort: highfast: true");
      await say(id, script(choose("effort", "low")));
      await test.killAgents();
      expect(await say(id, BOTH)).toBe("agent effort: lowfast: true");
      await test.restartAfterCrash();
      expect(await say(id, BOTH)).toBe("agent effort: lowfast: true");
      expect(await values(id)).toEqual({ mode: "ask", model: "small", effort: "low", fast: true });
    },
  );

  it("D3 can be chosen before the first agent, and for one message", async () => {
    await open();
    const created = { settings: { mode: "plan", options: { effort: "high" } } };
    const id = await test.createSession(created);
    expect(await say(id, script(tell("mode"), tell("option", "effort")))).toBe(
      "agent mode: planeffort: high",
    );
    const once = { settings: { options: { effort: "low", fast: true } } };
    expect(await say(id, BOTH, once)).toBe("agent effort: lowfast: true");
    expect(await say(id, BOTH)).toBe("agent effort: highfast: false");
    await say(id, BOTH, once);
    await test.killAgents();
    expect(await say(id, BOTH)).toBe("agent effort: highfast: false");
  });

  it("D3 go with a fork, and with a bundle", async () => {
    const id = await open();
    await say(id, BOTH);
    await patch(id, { mode: "plan", options: { fast: true } });
    const { session } = ok(await test.runtime.fork({ sessionId: id, atMessage: null }));
    expect(session.settings).toEqual([{ provider: "a", mode: "plan", options: { fast: true } }]);
    const { lines } = ok(await test.runtime.exportSession(id));
    const bundle: string[] = [];
    for await (const line of lines) bundle.push(line);
    ok(await test.runtime.deleteSession({ sessionId: id }));
    const imported = ok(
      await test.runtime.importSession(
        (async function* () {
          yield* bundle;
        })(),
      ),
    );
    expect(imported.session.settings).toEqual(session.settings);
  });

  it("D3 that are no longer offered are left out with a notice", async () => {
    const id = await open();
    await say(id, BOTH);
    await patch(id, { options: { effort: "high" } });
    await test.restartWith({ agents: [{ name: "a", ...ASKING, configs: [FAST] }] });
    await test.send(id, BOTH);
    const lines = transcript(await test.idle(id)).slice(-3);
    expect(lines.join("\n")).toContain(
      "An option of the session was left out: Scripted agent has no option effort: it offers fast.",
    );
    expect(lines.join("\n")).toContain("agent effort: nonefast: false");
  });

  it("D3 depend on the model, which is set first", async () => {
    const id = await open({ configs: [{ ...EFFORT, onlyWith: "large" }] });
    await say(id, BOTH);
    const settings = { options: { effort: "high" } };
    expect(await say(id, BOTH, { model: "large", settings })).toBe("agent effort: highfast: none");
  });

  it("D3 are refused when the agent is known not to offer them", async () => {
    const id = await open();
    const refusal = async (settings: WantedChange) => {
      const reply = await test.runtime.updateSession({ sessionId: id, changes: {}, settings });
      return reply.ok ? null : reply.refusal;
    };
    // Nobody knows yet what the agent offers. The run says what it refuses.
    expect(await say(id, BOTH, { settings: { options: { depth: "9" } } })).toMatch(
      /^system Failed: Scripted agent has no option depth: it offers effort, fast/u,
    );
    expect(await refusal({ mode: "yolo" })).toMatchObject({
      code: "setting_not_offered",
      message: "a does not offer the mode yolo. It offers ask, plan, auto.",
    });
    expect(await refusal({ options: { depth: "9" } })).toMatchObject({
      message: "a has no option depth. It offers mode, effort, fast.",
    });
    expect(await refusal({ options: { fast: "yes" } })).toMatchObject({
      message: "a does not offer yes for the option fast. It offers true, false.",
    });
    expect(await refusal({ options: { model: "large" } })).toMatchObject({
      message: "Set the model as model, not as an option.",
    });
    expect((await test.read(id)).session.settings).toMatchObject([{ options: {} }]);
  });

  it("D3 are known before the first agent of a session, and after a restart of the server", async () => {
    const id = await open();
    expect(await test.runtime.readOptions(id)).toEqual({ ok: true, provider: "a", options: [] });
    await say(id, BOTH);
    await patch(id, { options: { effort: "high" } });
    await say(id, BOTH);
    await test.stop();
    await test.start();
    const other = await test.createSession();
    expect(await values(other)).toEqual({
      mode: "ask",
      model: "small",
      effort: "medium",
      fast: false,
    });
    const { providers } = await test.runtime.listProviders();
    expect(providers[0]).toMatchObject({
      modes: [{ id: "ask" }, { id: "plan" }, { id: "auto" }],
      models: [{ id: "small" }, { id: "large" }],
    });
  });

  it("D3 reach an idle agent at once", async () => {
    const id = await open();
    await say(id, BOTH);
    await patch(id, { mode: "plan", options: { fast: true } });
    await test.until(id, () => readJournal(id).includes(String.raw`\"configId\":\"fast\"`));
  });
});

describe("the model of a session", () => {
  it.each<[string, ScriptedDefinition]>([
    ["as an option", { modelsAs: "config" }],
    ["in the older form", { modelsAs: "legacy" }],
  ])("D3 that the agent chose itself is kept: %s", async (form, more) => {
    const id = await open(more);
    if (form === "as an option") await say(id, script(choose("model", "large")));
    else await say(id, script(tell("model")), { model: "large" });
    await test.killAgents();
    expect(await say(id, script(tell("model")))).toBe("agent model: large");
    expect(await values(id)).toMatchObject({ model: "large" });
  });
});
