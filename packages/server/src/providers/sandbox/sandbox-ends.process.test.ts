import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { calmMsOf, calmNow } from "../../domain/testing/calm-clock.ts";
import { findMarked, sweepAgents } from "../acp/process/process-sweep.ts";
import { isAlive, promptOf, SHORT_TIMES, type RigOptions } from "../testing/agent-rig.ts";
import { closeStdout, exit, ignore, say, shell, silent } from "../testing/script.ts";
import { leavesBehind, openSandboxWorld, needSandbox } from "./testing/sandbox-world.ts";

beforeAll(needSandbox);

/** An agent that ignores all requests to end in the middle of a prompt, and a process it left behind. */
async function stubborn(options: RigOptions) {
  const { start } = await openSandboxWorld();
  const { agent, rig } = await start(options);
  const left = leavesBehind();
  const end = agent
    .prompt(promptOf(ignore("eof", "sigterm", "cancel"), shell(left.command), say("on"), silent()))
    .catch((error: unknown) => error);
  await rig.reported("text", ({ text }) => text.includes("on"));
  await left.untilThere();
  return { agent, rig, left, end };
}

describe("no process of an agent in a sandbox is left", () => {
  it("when it is stopped, even if a process left its group and session (P5)", async () => {
    const { start } = await openSandboxWorld();
    const left = leavesBehind();
    const { rig, agent } = await start();
    await agent.prompt(promptOf(shell(left.command)));
    await left.untilThere();
    await agent.stop();
    expect(left.pids()).toEqual([]);
    expect(await rig.leftovers()).toEqual([]);
  });

  it("when it ignores every request to end (P5)", async () => {
    const { agent, left, end } = await stubborn({ times: SHORT_TIMES });
    await agent.stop();
    expect(left.pids()).toEqual([]);
    expect(await end).toMatchObject({ code: "agent_exited" });
  });

  it("when a cancel ends it (P5)", async () => {
    const { start } = await openSandboxWorld();
    const left = leavesBehind();
    const { agent, rig } = await start({ definition: { endsOnCancel: true } });
    const end = agent.prompt(promptOf(shell(left.command), say("on"), silent()));
    await rig.reported("text", ({ text }) => text.includes("on"));
    await left.untilThere();
    expect(await agent.cancel()).toBe("ignored");
    await agent.stop();
    expect(await end).toMatchObject({ stopReason: "cancelled" });
    expect(left.pids()).toEqual([]);
  });

  it("when it exits by itself (P5)", async () => {
    const { start } = await openSandboxWorld();
    const left = leavesBehind();
    const { agent } = await start();
    await agent.prompt(promptOf(shell(left.command)));
    await left.untilThere();
    await expect(agent.prompt(promptOf(exit({ code: 3 })))).rejects.toMatchObject({
      code: "agent_exited",
    });
    expect(await agent.exited).toMatchObject({ code: 3 });
    expect(left.pids()).toEqual([]);
  });

  it("when the server is killed (P5)", async () => {
    const { repo, data, environment } = await openSandboxWorld();
    const left = leavesBehind();
    const owner = `test-${randomUUID()}`;
    const program = path.join(import.meta.dirname, "testing", "hold-agent.ts");
    const server = spawn(process.execPath, [program, repo, data, owner], {
      env: { ...environment, HELD_COMMAND: left.command },
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(async () => {
      server.kill("SIGKILL");
      await sweepAgents({ owner });
    });
    const [bytes] = (await once(server.stdout, "data")) as [Buffer];
    const pid = Number(bytes.toString());
    await left.untilThere();
    expect((await findMarked({ owner })).length).toBeGreaterThan(2);
    server.kill("SIGKILL");
    const begun = calmNow();
    await expect.poll(() => left.pids().filter(isAlive)).toEqual([]);
    await expect.poll(() => findMarked({ owner })).toEqual([]);
    expect(calmNow() - begun).toBeLessThan(5_000);
    expect(isAlive(pid)).toBe(false);
  });
});

describe("an agent in a sandbox that closes its output and keeps running", () => {
  it("ends its prompt and is stopped, as without a sandbox (P5)", async () => {
    const { start } = await openSandboxWorld();
    const left = leavesBehind();
    const { agent, rig } = await start({ times: { ...SHORT_TIMES, exitMs: 300 } });
    await expect(
      agent.prompt(promptOf(shell(left.command), say("on"), closeStdout(), silent())),
    ).rejects.toMatchObject({ code: "agent_unintelligible" });
    expect(rig.text()).toBe("on");
    await agent.stop();
    expect([left.pids(), await rig.leftovers(), isAlive(agent.pid)]).toEqual([[], [], false]);
  });
});

describe("an agent in a sandbox that is stopped", () => {
  it("goes through all steps in time: end of input, SIGTERM, SIGKILL (P5)", async () => {
    const times = { cancelMs: 200, closeMs: 200, endMs: 200, termMs: 200 };
    const { agent, rig, left, end } = await stubborn({ times });
    const begun = performance.now();
    await agent.stop();
    expect(performance.now() - begun).toBeGreaterThanOrEqual(590);
    expect(await agent.exited).toMatchObject({ signal: "SIGKILL" });
    expect(await end).toMatchObject({ code: "agent_exited" });
    expect([left.pids(), await rig.leftovers(), isAlive(agent.pid)]).toEqual([[], [], false]);
  });

  it("is gone within three seconds in an urgent stop, whatever it ignores (P5)", async () => {
    const { agent, rig, left, end } = await stubborn({ times: { urgentMs: 1500 } });
    const gentle = agent.stop();
    expect(await calmMsOf(agent.stop({ urgent: true }))).toBeLessThan(3000);
    await gentle;
    expect(await end).toMatchObject({ code: "agent_exited" });
    expect([left.pids(), await rig.leftovers()]).toEqual([[], []]);
  });

  it("is gone even if it was suspended by SIGSTOP and bubblewrap was killed (P5)", async () => {
    const { start } = await openSandboxWorld();
    const { agent, rig } = await start({ times: { endMs: 200, termMs: 200 } });
    const left = leavesBehind();
    await agent.prompt(promptOf(shell(left.command)));
    await left.untilThere();
    for (const pid of left.pids()) process.kill(pid, "SIGSTOP");
    process.kill(agent.pid, "SIGKILL");
    expect(await agent.exited).toMatchObject({ signal: "SIGKILL" });
    await agent.stop();
    expect([left.pids(), await rig.leftovers()]).toEqual([[], []]);
  });

  it("gets SIGTERM before SIGKILL, and its exit code is reported (P5)", async () => {
    const { start } = await openSandboxWorld();
    const { agent } = await start({ times: { endMs: 300 } });
    await agent.prompt(promptOf(ignore("eof")));
    await agent.stop();
    expect(await agent.exited).toMatchObject({ code: 143, signal: null });
  });
});
