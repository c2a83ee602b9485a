import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { say, script, tell } from "../../providers/testing/script.ts";
import { ok, TestRuntime, transcript, type TestRuntimeOptions } from "../testing/test-runtime.ts";

let test: TestRuntime;
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-spares-"));
});
afterEach(async () => {
  await test.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(options: TestRuntimeOptions = {}): Promise<void> {
  test = await TestRuntime.open({
    ...options,
    limits: { spareAgents: 1, ...options.limits },
  });
}

/** The process of the agent that answers. */
async function pidOf(id: string): Promise<number> {
  await test.send(id, script(tell("pid")));
  return Number(/pid: (\d+)/u.exec(transcript(await test.idle(id)).at(-1) ?? "")?.[1]);
}

const times = (text: string): number => test.logged.filter((line) => line.text === text).length;
async function spareStarted(count: number): Promise<void> {
  await expect.poll(() => times("spare agent started"), { timeout: 20_000 }).toBe(count);
}

/** The processes that belong to no session. */
async function spares(...ofSessions: readonly number[]): Promise<readonly number[]> {
  return (await test.processes()).filter((pid) => !ofSessions.includes(pid));
}

describe("a spare agent", () => {
  it("is started after the first agent in a repository, and is the agent of the next session", async () => {
    const log = path.join(folder, "received.jsonl");
    await open({ agents: [{ log }] });
    const first = await pidOf(await test.createSession());
    await spareStarted(1);
    const [spare] = await spares(first);
    const id = await test.createSession();
    expect(await pidOf(id)).toBe(spare);
    expect(times("agent started")).toBe(2);
    await spareStarted(2);
    const asked = readFileSync(log, "utf8").match(/"method":"[a-z/]+"/gu) ?? [];
    const count = (method: string): number =>
      asked.filter((each) => each === `"method":"${method}"`).length;
    expect([count("initialize"), count("session/new")]).toEqual([3, 2]);
    await test.stop();
    const journal = readFileSync(path.join(test.folder, "journals", `${id}.jsonl`), "utf8");
    expect(journal).toContain("initialize");
    expect(journal).toContain("session/prompt");
  });

  it("is started with the server, in the repository of the newest session", async () => {
    await open();
    await test.createSession();
    await test.stop();
    await test.untilNoProcess();
    await test.start();
    await spareStarted(1);
    const [spare] = await spares();
    expect(await pidOf(await test.createSession())).toBe(spare);
  });

  it("is not used for another repository or another provider", async () => {
    await open({ agents: [{}, { name: "other" }] });
    const first = await pidOf(await test.createSession());
    await spareStarted(1);
    const [spare] = await spares(first);
    const other = await test.createSession({ provider: "other" });
    expect(await pidOf(other)).not.toBe(spare);
  });

  it("that died is replaced, and is no reason for a failure", async () => {
    await open();
    const first = await pidOf(await test.createSession());
    await spareStarted(1);
    const [spare = 0] = await spares(first);
    process.kill(spare, "SIGKILL");
    const pid = await pidOf(await test.createSession());
    expect(pid).not.toBe(spare);
    await spareStarted(2);
  });

  it("leaves its slot to a session that needs one", async () => {
    await open({ limits: { liveAgents: 2, spareAgents: 5 }, agents: [{}, { name: "other" }] });
    const first = await pidOf(await test.createSession());
    await spareStarted(1);
    expect(await spares(first)).toHaveLength(1);
    await pidOf(await test.createSession({ provider: "other" }));
    expect((await test.processes()).length).toBeLessThanOrEqual(2);
  });

  it("is not kept unless somebody has said so", async () => {
    await open({ limits: { spareAgents: 0 } });
    const id = await test.createSession();
    await test.send(id, script(say("hello")));
    await test.idle(id);
    expect(await test.processes()).toHaveLength(1);
    expect(times("spare agent started")).toBe(0);
  });

  it("ends when the server stops", async () => {
    await open();
    await pidOf(await test.createSession());
    await spareStarted(1);
    await test.stop();
    await test.untilNoProcess();
  });

  it("knows nothing of a session before, and works in its folder", async () => {
    await open();
    await pidOf(await test.createSession());
    await spareStarted(1);
    const id = await test.createSession();
    await test.send(id, script(tell("cwd")));
    expect(transcript(await test.idle(id)).at(-1)).toBe(`agent cwd: ${test.repoPath}`);
    ok(await test.runtime.archive({ sessionId: id }));
  });
});
