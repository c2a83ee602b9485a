import { describe, expect, it } from "vitest";
import type { Agent } from "../provider.ts";
import {
  openAgentRig,
  promptOf,
  withoutReply,
  type AgentRig,
  type RigOptions,
} from "../testing/agent-rig.ts";
import { recall, say } from "../testing/script.ts";

const both = { load: true, resume: true };

/** An agent that got a prompt and was stopped, and another one that reopens its session. */
async function takenUp(
  options: RigOptions,
  { ageMs = 0 }: { readonly ageMs?: number } = {},
): Promise<{ readonly rig: AgentRig; readonly first: Agent; readonly second: Agent }> {
  let now = 1_000_000;
  const rig = openAgentRig({ ...options, provider: { clock: () => now } });
  const first = await rig.start();
  await first.prompt({ parts: [{ type: "text", text: "remember 42" }], model: null });
  await first.stop({ urgent: true });
  rig.all.length = 0;
  now += ageMs;
  const reopen = (): Promise<Agent> => rig.start({ resume: first.resumeData });
  const hangs = options.load === "hangs";
  const second = await (hangs ? withoutReply(rig, "session/load", reopen) : reopen());
  return { rig, first, second };
}

/** The requests to the second agent after `initialize`. */
const methodsOf = (rig: AgentRig): readonly (string | undefined)[] => {
  const methods = rig.received().map(({ method }) => method);
  return methods.slice(methods.lastIndexOf("initialize") + 1);
};

describe("an agent that reopens its session", () => {
  it("resumes it if it can, and continues", async () => {
    const { rig, first, second } = await takenUp({ capabilities: both });
    expect(second).toMatchObject({
      memory: "resumed",
      supportsResume: true,
      resumeData: first.resumeData,
    });
    await second.prompt(promptOf(recall()));
    expect(rig.text()).toBe("recall: remember 42");
    expect(methodsOf(rig)).toEqual(["session/resume", "session/prompt"]);
  });

  it.each([
    ["session/resume", both],
    ["session/load", { load: true }],
  ])("gets its tools again with %s", async (method, capabilities) => {
    const server = { name: "tools", command: "/usr/bin/tools", args: [], env: {} };
    const rig = openAgentRig({ capabilities, provider: { toolsFor: async () => [server] } });
    const first = await rig.start();
    await first.prompt(promptOf(say("hello")));
    await first.stop({ urgent: true });
    await rig.start({ resume: first.resumeData });
    const taken = rig.received().find((message) => message.method === method);
    expect(taken?.params?.["mcpServers"]).toMatchObject([{ name: "tools" }]);
  });

  it("loads it otherwise, and the replay is not reported", async () => {
    const { rig, second } = await takenUp({
      capabilities: { load: true },
      lateReplayMs: 5,
      times: { quietMs: 2_000, lateMs: 4_000 },
    });
    expect(second).toMatchObject({ memory: "loaded", supportsResume: true });
    expect(rig.all.filter(({ report }) => report !== "alive")).toEqual([]);
    await second.prompt(promptOf(recall()));
    expect(rig.text()).toBe("recall: remember 42");
  });

  it("loads it if resuming is offered but refused", async () => {
    const { rig, second } = await takenUp({ capabilities: both, resume: "error" });
    expect(second.memory).toBe("loaded");
    expect(methodsOf(rig)).toEqual(["session/resume", "session/load"]);
  });

  it("gets a new session if that fails or times out, and reports it", async () => {
    const failing: readonly RigOptions[] = [
      { capabilities: both, resume: "error", load: "error" },
      { capabilities: { load: true }, load: "hangs" },
      { capabilities: {} },
    ];
    for (const options of failing) {
      const { rig, first, second } = await takenUp(options);
      expect(second.memory).toBe("none");
      expect(second.resumeData).not.toEqual(first.resumeData);
      await second.prompt(promptOf(recall()));
      expect(rig.text()).toBe("recall: nothing");
    }
  });

  it("does not load a session that is too new", async () => {
    const options = { capabilities: { load: true }, definition: { loadableAfterMs: 60_000 } };
    const young = await takenUp(options, { ageMs: 59_999 });
    expect(young.second.memory).toBe("none");
    expect(methodsOf(young.rig)).toEqual(["session/new"]);

    const old = await takenUp(options, { ageMs: 60_000 });
    expect(old.second.memory).toBe("loaded");
    // The time of creation does not change when the session is reopened.
    expect(old.second.resumeData).toEqual(old.first.resumeData);
  });

  it("gets its mode again, and logs in again", async () => {
    const { rig, second } = await takenUp({
      capabilities: { resume: true },
      modes: ["auto", "ask"],
      definition: { mode: "ask", authMethod: "key" },
      auth: { methods: [{ id: "key", name: "Key" }], accepts: "key" },
    });
    expect(second.memory).toBe("resumed");
    const methods = rig.received().map(({ method }) => method);
    expect(methods).toEqual([
      "initialize",
      "session/new",
      "authenticate",
      "session/new",
      "session/set_mode",
      "session/prompt",
      "session/cancel",
      "initialize",
      "session/resume",
      "authenticate",
      "session/resume",
      "session/set_mode",
    ]);
  });

  it("starts a new session if the resume data is invalid", async () => {
    const rig = openAgentRig({ capabilities: both });
    for (const resume of ["text", {}, { sessionId: 5 }, []]) {
      const agent = await rig.start({ resume });
      expect(agent.memory).toBe("none");
    }
    const agent = await rig.start({ resume: { sessionId: "unknown", createdAt: 1 } });
    await agent.prompt(promptOf(say("fine")));
    expect(agent.memory).toBe("none");
  });
});
