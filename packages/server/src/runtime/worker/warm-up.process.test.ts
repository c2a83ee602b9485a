import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { say, script, tell, waitFor } from "../../providers/testing/script.ts";
import { TestRuntime, transcript, type TestRuntimeOptions } from "../testing/test-runtime.ts";

let test: TestRuntime;
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-warm-up-"));
});
afterEach(async () => {
  await test.close();
  rmSync(folder, { recursive: true, force: true });
});

const FOREVER = waitFor("/nobody/opens/this");

/** Sessions with agents at work. */
async function begin(count: number, options: TestRuntimeOptions = {}): Promise<readonly string[]> {
  test = await TestRuntime.open(options);
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const id = await test.createSession();
    await test.send(id, script(say(`begun ${number}`), FOREVER));
    await test.until(id, ({ messages }) => messages.length === 2);
    ids.push(id);
  }
  return ids;
}

const started = (sessionId?: string): readonly string[] =>
  test.logged
    .filter(({ text }) => text === "agent started")
    .map(({ fields }) => (fields as { readonly sessionId: string }).sessionId)
    .filter((id) => sessionId === undefined || id === sessionId);

async function crash(): Promise<void> {
  test.logged.length = 0;
  await test.restartAfterCrash();
}

const liveAgents = async (): Promise<number> => (await test.runtime.measure()).liveAgents;

describe("the agent of a run that the end of the server cut off", () => {
  it("starts with the next server, is not prompted, and answers the next message", async () => {
    const [id = ""] = await begin(1);
    await crash();
    await expect.poll(liveAgents).toBe(1);
    const [pid] = await test.processes();
    expect((await test.store.readRuns(id)).map(({ status }) => status)).toEqual(["interrupted"]);
    const before = await test.read(id);
    expect(transcript(before)).toHaveLength(3);
    await test.send(id, script(tell("pid")));
    expect(transcript(await test.idle(id)).at(-1)).toBe(`agent pid: ${pid}`);
    expect(started()).toEqual([id]);
    const [, run] = await test.store.readRuns(id);
    expect(run?.memory).toMatchObject({ how: "briefed" });
  });

  it("starts once, also if the message comes while it starts", async () => {
    const gate = path.join(folder, "gate");
    writeFileSync(gate, "");
    const [id = ""] = await begin(1, { agents: [{ at: { start: [waitFor(gate)] } }] });
    rmSync(gate);
    await crash();
    await expect.poll(() => started(id)).toHaveLength(1);
    await test.send(id, script(say("answered")));
    writeFileSync(gate, "");
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent answered");
    expect(started()).toEqual([id]);
  });

  it("does not start for a session that rested, and not for more than three", async () => {
    const ids = await begin(4, { limits: { liveAgents: 6 } });
    const resting = await test.createSession();
    await test.send(resting, script(say("done")));
    await test.idle(resting);
    await crash();
    await expect.poll(liveAgents).toBe(3);
    await expect.poll(() => test.recoveries).toBeGreaterThan(0);
    expect(started().toSorted()).toEqual(ids.slice(1).toSorted());
  });

  it("gives way to an agent that is needed, even while it starts", async () => {
    const gate = path.join(folder, "gate");
    writeFileSync(gate, "");
    const agents = [{ at: { start: [waitFor(gate)] } }, { name: "other" }];
    const [id = ""] = await begin(1, { agents, limits: { liveAgents: 1 } });
    rmSync(gate);
    await crash();
    await expect.poll(() => started(id)).toHaveLength(1);
    const other = await test.createSession({ provider: "other" });
    await test.send(other, script(say("works")));
    expect(transcript(await test.idle(other)).at(-1)).toBe("agent works");
    expect(await test.processes()).toHaveLength(1);
  });

  it("that does not start leaves nothing but a line in the log", async () => {
    const broken = path.join(folder, "broken");
    const breaks = { step: "shell", command: `test ! -e ${broken} || kill -9 $PPID` } as const;
    const [id = ""] = await begin(1, { agents: [{ at: { start: [breaks] } }] });
    writeFileSync(broken, "");
    await crash();
    await expect
      .poll(() => test.logged.map(({ text }) => text))
      .toContain("an agent could not be started ahead");
    expect(transcript(await test.read(id))).toHaveLength(3);
    rmSync(broken);
    await test.send(id, script(say("works")));
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent works");
  });

  it("is ended by a stop of the server while it starts", async () => {
    const gate = path.join(folder, "gate");
    writeFileSync(gate, "");
    const [id = ""] = await begin(1, { agents: [{ at: { start: [waitFor(gate)] } }] });
    rmSync(gate);
    await crash();
    await expect.poll(() => started(id)).toHaveLength(1);
    await test.stop();
    await test.untilNoProcess();
  });
});
