import { afterEach, describe, expect, it } from "vitest";
import { ask, say, script, waitFor } from "../../providers/testing/script.ts";
import { TestRuntime, transcript, type TestRuntimeOptions } from "../testing/test-runtime.ts";

let test: TestRuntime;
afterEach(() => test.close());

const GO_ON = expect.stringMatching(/^user The work on the last message was cut off/u);
const FOREVER = waitFor("/nobody/opens/this");
const STUCK = { otherwise: [{ step: "say", text: "again" }, FOREVER] } as const;

/** A session with an agent at work. */
async function begin(options: TestRuntimeOptions): Promise<string> {
  test = await TestRuntime.open(options);
  const id = await test.createSession();
  await work(id);
  return id;
}

async function work(id: string): Promise<void> {
  await test.send(id, script(say("begun"), FOREVER));
  await hasSpoken(id);
}

const hasSpoken = (id: string): Promise<unknown> =>
  test.until(id, ({ messages }) => messages.at(-1)?.role === "agent");

async function statuses(id: string): Promise<readonly string[]> {
  return (await test.store.readRuns(id)).map(({ status }) => status);
}

async function users(id: string): Promise<readonly string[]> {
  return transcript(await test.read(id)).filter((line) => line.startsWith("user"));
}

/** Resolves when what was under way is settled. */
async function crashOnFile(): Promise<void> {
  await test.restartAfterCrash();
  await expect.poll(() => test.recoveries).toBeGreaterThan(0);
}

describe.each(["sqlite", "postgres"] as const)(
  "a run that a crash has cut off, on %s",
  (engine) => {
    it("is not continued unless somebody has said so", async () => {
      const id = await begin({ engine });
      await test.restartAfterCrash();
      await expect.poll(() => statuses(id)).toEqual(["interrupted"]);
      await test.send(id, script(say("asked")));
      await expect.poll(() => statuses(id)).toEqual(["interrupted", "completed"]);
      expect(await users(id)).toHaveLength(2);
    });

    it("is continued by a message of the server's own", async () => {
      const id = await begin({ engine, continueInterrupted: 1 });
      await test.restartAfterCrash();
      await expect.poll(() => statuses(id)).toEqual(["interrupted", "completed"]);
      expect(await users(id)).toEqual([expect.anything(), GO_ON]);
      expect(transcript(await test.read(id)).at(-1)).toMatch(/^agent echo: .*go on from there/su);
    });
  },
);

describe("a run that was cut off", () => {
  it("is continued with its own provider", async () => {
    test = await TestRuntime.open({
      continueInterrupted: 1,
      agents: [{ name: "first" }, { name: "second" }],
    });
    const id = await test.createSession();
    await test.send(id, script(say("begun"), FOREVER), { provider: "second" });
    await hasSpoken(id);
    await test.restartAfterCrash();
    await expect.poll(() => statuses(id)).toEqual(["interrupted", "completed"]);
    const runs = await test.store.readRuns(id);
    expect(runs.map(({ provider }) => provider)).toEqual(["second", "second"]);
  });

  it("is continued at most so often in a row", async () => {
    const id = await begin({ continueInterrupted: 2, agents: [STUCK] });
    await crashOnFile();
    await expect.poll(() => statuses(id)).toEqual(["interrupted", "running"]);
    await hasSpoken(id);
    await crashOnFile();
    await expect.poll(() => statuses(id)).toEqual(["interrupted", "interrupted", "running"]);
    await hasSpoken(id);
    await crashOnFile();
    expect(await statuses(id)).toEqual(["interrupted", "interrupted", "interrupted"]);
    expect(await users(id)).toEqual([expect.anything(), GO_ON, GO_ON]);
  });

  it("is continued again once another has come to its end", async () => {
    const id = await begin({ continueInterrupted: 1, agents: [STUCK] });
    await crashOnFile();
    await expect.poll(() => statuses(id)).toEqual(["interrupted", "running"]);
    await hasSpoken(id);
    await test.send(id, script(say("fine")), { delivery: "interrupt" });
    const earlier = ["interrupted", "cancelled", "completed"];
    await expect.poll(() => statuses(id)).toEqual(earlier);
    await work(id);
    await crashOnFile();
    await expect.poll(() => statuses(id)).toEqual([...earlier, "interrupted", "running"]);
  });

  it("is not continued when something is queued already", async () => {
    const id = await begin({ continueInterrupted: 1 });
    await test.send(id, script(say("next")));
    await crashOnFile();
    await expect.poll(() => statuses(id)).toEqual(["interrupted", "completed"]);
    expect(await users(id)).toHaveLength(2);
    expect(transcript(await test.read(id)).at(-1)).toBe("agent next");
  });

  it("is continued after an ordinary stop by the next server", async () => {
    const id = await begin({ continueInterrupted: 1 });
    await test.stop();
    expect(await statuses(id)).toEqual(["interrupted", "queued"]);
    await test.start();
    await expect.poll(() => statuses(id)).toEqual(["interrupted", "completed"]);
    expect(await users(id)).toEqual([expect.anything(), GO_ON]);
  });
});

it("a run that waits for a person waits on, and nothing is sent for it (C3)", async () => {
  test = await TestRuntime.open({ continueInterrupted: 1 });
  const id = await test.createSession();
  await test.send(id, script(ask({ id: "p", title: "May I?" }), say(" thanks")));
  await test.until(id, ({ session }) => session.state === "suspended");
  await crashOnFile();
  expect([await statuses(id), await users(id)]).toEqual([["suspended"], [expect.anything()]]);
  expect(await test.runtime.listSuspensions()).toHaveLength(1);
});
