import { describe, expect, it } from "vitest";
import { calmMsOf } from "../../domain/testing/calm-clock.ts";
import type { Agent } from "../provider.ts";
import {
  isAlive,
  openAgentRig,
  promptOf,
  SHORT_TIMES,
  type AgentRig,
  type RigOptions,
} from "../testing/agent-rig.ts";
import { ask, child, exit, fail, ignore, say, silent, wait, type Step } from "../testing/script.ts";

/** An agent in the middle of a prompt that says `on` and then runs these steps. */
async function prompting(
  options: RigOptions,
  ...steps: readonly Step[]
): Promise<{ readonly rig: AgentRig; readonly agent: Agent; readonly end: Promise<unknown> }> {
  const rig = openAgentRig(options);
  const agent = await rig.start();
  const end = agent
    .prompt(promptOf(...steps, say("on"), silent()))
    .catch((error: unknown) => error);
  await rig.reported("text", ({ text }) => text.includes("on"));
  return { rig, agent, end };
}

const msOf = async (work: Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work;
  return performance.now() - begun;
};

const pidsIn = (text: string): readonly number[] =>
  [...text.matchAll(/child: (\d+)/g)].map(([, pid]) => Number(pid));

const methodsOf = (rig: AgentRig): readonly (string | undefined)[] =>
  rig.received().flatMap(({ method }) => method ?? []);

describe("a cancel", () => {
  it("ends the prompt and leaves the agent ready", async () => {
    const { rig, agent, end } = await prompting({});
    expect(await agent.cancel()).toBe("settled");
    expect(await end).toEqual({ stopReason: "cancelled", usage: null });
    await agent.prompt(promptOf(say(" again")));
    expect(rig.text()).toBe("on again");
    expect(await agent.cancel()).toBe("settled");
  });

  it("answers a pending permission request, before or after the prompt ends", async () => {
    for (const impatient of [false, true]) {
      const rig = openAgentRig();
      const agent = await rig.start();
      const end = agent.prompt(promptOf(ask({ id: "t1", title: "x", impatient })));
      const { requestId } = await rig.reported("permission");
      expect(await agent.cancel()).toBe("settled");
      expect(await end).toEqual({ stopReason: "cancelled", usage: null });
      expect(agent.answer(requestId, { outcome: "selected", optionId: "allow" })).toBe(false);
      const answers = (): readonly unknown[] =>
        rig.received().filter(({ id, method }) => id === "ask-1" && method === undefined);
      await expect.poll(answers).toMatchObject([{ result: { outcome: { outcome: "cancelled" } } }]);
    }
  });

  it("is reported as ignored if the agent does not end its prompt", async () => {
    const { rig, agent, end } = await prompting(
      { times: SHORT_TIMES },
      ignore("cancel", "sigterm", "eof"),
    );
    expect(await agent.cancel()).toBe("ignored");
    await agent.stop();
    expect(await end).toMatchObject({ code: "agent_exited" });
    expect(await rig.leftovers()).toEqual([]);
  });

  it("is reported as ignored for agents whose commands keep running", async () => {
    const { agent, end } = await prompting({ definition: { endsOnCancel: true } });
    expect(await agent.cancel()).toBe("ignored");
    expect(await end).toEqual({ stopReason: "cancelled", usage: null });
  });

  it("ends when the agent exits first", async () => {
    const { agent, end } = await prompting({ at: { cancel: [exit({ code: 9 })] } });
    expect(await agent.cancel()).toBe("settled");
    expect(await end).toMatchObject({ code: "agent_exited" });
  });

  it("turns a later error of the prompt into a cancellation", async () => {
    const rig = openAgentRig();
    const agent = await rig.start();
    const end = agent.prompt(
      promptOf(say("on"), ignore("cancel"), wait(100), fail({ code: -32603 })),
    );
    await rig.reported("text");
    expect(await agent.cancel()).toBe("settled");
    expect(await end).toEqual({ stopReason: "cancelled", usage: null });
  });

  it("prevents a prompt that was not sent yet", async () => {
    const rig = openAgentRig({ models: ["a", "b"] });
    const agent = await rig.start();
    const end = agent.prompt({ ...promptOf(say("never")), model: "b" });
    expect(await agent.cancel()).toBe("settled");
    expect(await end).toEqual({ stopReason: "cancelled", usage: null });
    expect(methodsOf(rig)).not.toContain("session/prompt");
  });
});

describe("a stop", () => {
  it("begins gently: cancel, close, end of input (P5)", async () => {
    const { rig, agent, end } = await prompting({ capabilities: { close: true } });
    await agent.stop();
    expect(await end).toEqual({ stopReason: "cancelled", usage: null });
    expect(await agent.exited).toEqual({ code: 0, signal: null, stderr: "" });
    expect(methodsOf(rig).slice(-3)).toEqual(["session/prompt", "session/cancel", "session/close"]);
  });

  it("continues with SIGTERM and SIGKILL after their timeouts (P5)", async () => {
    const times = { cancelMs: 200, closeMs: 200, endMs: 200, termMs: 200 };
    const deafToEnd = await prompting({ times: { endMs: 200 } }, ignore("eof"));
    const term = await msOf(deafToEnd.agent.stop());
    expect(await deafToEnd.agent.exited).toMatchObject({ code: 143 });
    expect(term).toBeGreaterThanOrEqual(190);

    const stubborn = await prompting(
      { times, capabilities: { close: true }, at: { close: [silent()] } },
      ignore("eof", "sigterm", "cancel"),
    );
    const kill = await msOf(stubborn.agent.stop());
    expect(await stubborn.agent.exited).toMatchObject({ code: null, signal: "SIGKILL" });
    expect(kill).toBeGreaterThanOrEqual(790);
    expect(await stubborn.end).toMatchObject({ code: "agent_exited" });
  });

  it("takes at most three seconds if it is urgent, whatever the agent ignores (P5)", async () => {
    const { rig, agent, end } = await prompting(
      { times: { urgentMs: 1500 } },
      ignore("eof", "sigterm", "cancel"),
      child({ how: "setsid", stubborn: true }),
    );
    const gentle = agent.stop();
    expect(await calmMsOf(agent.stop({ urgent: true }))).toBeLessThan(3000);
    await gentle;
    expect(await end).toMatchObject({ code: "agent_exited" });
    expect(await rig.leftovers()).toEqual([]);
  });

  it("kills the agent's children in all groups and sessions (P5)", async () => {
    const { rig, agent } = await prompting(
      {},
      child({ how: "group" }),
      child({ how: "setsid" }),
      child({ how: "setsid", stubborn: true }),
    );
    const pids = pidsIn(rig.text());
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    await agent.stop();
    expect(pids.map(isAlive)).toEqual([false, false, false]);
    expect(await rig.leftovers()).toEqual([]);
  });

  it("kills the children of an agent that exited by itself (P5)", async () => {
    const rig = openAgentRig();
    const agent = await rig.start();
    const steps = [
      child({ how: "setsid", stubborn: true }),
      child({ how: "group", stubborn: true }),
    ];
    await expect(agent.prompt(promptOf(...steps, exit({ code: 1 })))).rejects.toMatchObject({
      code: "agent_exited",
    });
    await agent.exited;
    expect(await calmMsOf(expect.poll(() => rig.leftovers()).toEqual([]))).toBeLessThan(5000);
    expect(pidsIn(rig.text()).map(isAlive)).toEqual([false, false]);
    await agent.stop();
  });

  it("can be repeated, and works after the agent has exited", async () => {
    const rig = openAgentRig();
    const agent = await rig.start();
    await Promise.all([agent.stop(), agent.stop({ urgent: true }), agent.stop()]);
    await agent.stop();
    await expect(agent.prompt(promptOf())).rejects.toMatchObject({ code: "agent_exited" });
    expect(await agent.cancel()).toBe("settled");
    expect(agent.answer("x", { outcome: "cancelled" })).toBe(false);
  });

  it("does not wait for the handling of reports", async () => {
    const rig = openAgentRig({
      times: { ...SHORT_TIMES, exitMs: 300 },
      onReport: ({ report }) => (report === "text" ? new Promise(() => {}) : undefined),
    });
    const agent = await rig.start();
    const end = agent.prompt(promptOf(say("x"), silent())).catch(() => "failed");
    await rig.reported("text");
    await agent.stop({ urgent: true });
    expect(await rig.leftovers()).toEqual([]);
    void end;
  });
});
