import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openAgentRig, promptOf } from "../testing/agent-rig.ts";
import { exit, raw, say, stderr, tool, waitFor } from "../testing/script.ts";

const KEY = "sk-very-secret-0123456789";
const env = { TOOL_KEY: KEY };

describe("a secret of an agent", () => {
  it("that begins an answer is held back until the agent pauses, and its end is removed later", async () => {
    const rig = openAgentRig({ env, times: { heldMs: 1 } });
    const file = path.join(rig.folder, "go-on");
    const agent = await rig.start();
    const done = agent.prompt(
      promptOf(say(`It is ${KEY.slice(0, 6)}`), waitFor(file), say(`${KEY.slice(6)} indeed.`)),
    );
    await rig.reported("text", ({ text }) => text === KEY.slice(0, 6));
    expect(rig.text()).toBe(`It is ${KEY.slice(0, 6)}`);
    writeFileSync(file, "");
    await done;
    expect(rig.text()).toBe(`It is ${KEY.slice(0, 6)}[redacted] indeed.`);
  });

  it("is held back for the rest of it, and shown at the end of the prompt if there is none", async () => {
    const rig = openAgentRig({ env, times: { heldMs: 60_000 } });
    const agent = await rig.start();
    await agent.prompt(promptOf(say("It is sk-v"), say("ery-secret-0123456789, "), say("or sk-v")));
    expect(rig.text()).toBe("It is [redacted], or sk-v");
  });

  it("is not shown in pieces before and after a tool call", async () => {
    const rig = openAgentRig({ env });
    const agent = await rig.start();
    await agent.prompt(
      promptOf(say(KEY.slice(0, 12)), tool({ id: "t", title: "Work" }), say(`${KEY.slice(12)}.`)),
    );
    expect(rig.text()).toBe("[redacted].");
  });

  it("is not stored as the ID of the agent's session", async () => {
    const options = { env, capabilities: { resume: true }, sessionId: `session-${KEY}` };
    const agent = await openAgentRig(options).start();
    expect([agent.resumeData, agent.supportsResume]).toEqual([null, false]);
    expect(await agent.prompt(promptOf(say("Hello.")))).toMatchObject({ stopReason: "end_turn" });
  });

  it("is not in the end of stderr, even if that begins within it", async () => {
    const rig = openAgentRig({ env });
    const agent = await rig.start();
    const long = `${KEY}${"x".repeat(64 * 1024 - KEY.length + 3)}`;
    const prompt = promptOf(stderr(`${long}\n`), exit({ code: 3, stderr: `The key is ${KEY}.` }));
    await expect(agent.prompt(prompt)).rejects.toMatchObject({
      detail: expect.stringMatching(/^x+\nThe key is \[redacted\]\.$/u),
    });
    expect((await agent.exited).stderr).not.toContain(KEY.slice(-8));
  });

  it("is not in the error of a refused setting", async () => {
    const rig = openAgentRig({ env, models: ["one"] });
    const agent = await rig.start();
    const prompt = { ...promptOf(say("Hello.")), model: KEY };
    await expect(agent.prompt(prompt)).rejects.toMatchObject({
      detail: "no such model: [redacted]",
    });
  });

  it("in a message that escapes its letters is not in the journal either", async () => {
    const rig = openAgentRig({ env });
    const agent = await rig.start();
    const escaped = KEY.replaceAll("s", String.raw`\u0073`);
    await agent.prompt(promptOf(raw(`{"jsonrpc":"2.0","method":"_x","params":["${escaped}"]}\n`)));
    await agent.stop();
    expect(rig.journal()).toContain("[redacted]");
    expect(rig.journal()).not.toContain("ecret-0123456789");
  });
});
