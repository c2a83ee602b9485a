import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { say, script } from "../../providers/testing/script.ts";
import type { Failpoint } from "../failpoint.ts";
import { TestRuntime, transcript, type TestRuntimeOptions } from "../testing/test-runtime.ts";

let test: TestRuntime;
afterEach(() => test.close());

/** A session whose agent has answered once, and waits for more. */
async function answered(options: TestRuntimeOptions = {}): Promise<string> {
  test = await TestRuntime.open(options);
  const id = await test.createSession();
  await test.send(id, script(say("first")));
  await test.idle(id);
  // Its end is stored a moment before its agent counts as free.
  await expect.poll(async () => (await test.runtime.measure()).busyAgents).toBe(0);
  return id;
}

const spoken = async (id: string): Promise<readonly string[]> =>
  transcript(await test.idle(id)).filter((line) => !line.startsWith("user"));

describe.each(["sqlite", "postgres"] as const)(
  "a message to an agent that waits for one, on %s",
  (engine) => {
    it("is stored as given in the commit that stores it, and given once (C1)", async () => {
      const commits: Failpoint[] = [];
      const id = await answered({
        engine,
        failpoint: (name) => {
          // A shared database is looked at again and again for what others left.
          if (!/^(?:recovery|output)\./u.test(name)) commits.push(name);
        },
      });
      commits.length = 0;
      const { run } = await test.send(id, script(say("second")));
      expect(run).toMatchObject({ status: "running", attempts: 1, memory: { how: "live" } });
      expect(await spoken(id)).toEqual([expect.stringContaining("first"), "agent second"]);
      await expect
        .poll(() => commits)
        .toEqual([
          "command.committed",
          "agent.started",
          "run.handed",
          "prompt.given",
          "run.ending",
          "command.committed",
        ]);
      expect(await test.store.readRun(run.id)).toMatchObject({
        status: "completed",
        attempts: 1,
        memory: { how: "live" },
      });
    });
  },
);

describe("a message that was stored as given", () => {
  it("waits for the next start when the server ends before its agent got it (A8, C6)", async () => {
    let onCommit = (): void => {};
    const id = await answered({
      failpoint: (name) => {
        if (name === "command.committed") onCommit();
      },
    });
    const stopped = new Promise<void>((resolve) => {
      onCommit = () => {
        onCommit = () => {};
        resolve(test.stop());
      };
    });
    const { run } = await test.send(id, script(say("second")));
    expect(run.attempts).toBe(1);
    await stopped;
    expect(await test.store.readRun(run.id)).toMatchObject({ status: "queued", attempts: 0 });
    await test.start();
    const lines = transcript(await test.idle(id));
    expect(lines.filter((line) => line.endsWith("second"))).toEqual(["agent second"]);
    expect(lines.filter((line) => line.startsWith("user"))).toHaveLength(2);
    expect(lines.join("\n")).not.toMatch(/Interrupted|Trying again/u);
  });

  it("is answered once while its agent is ended again and again for having nothing to do", async () => {
    const id = await answered({ limits: { idleMs: 4 } });
    for (let n = 0; n < 15; n += 1) {
      await pause(n % 9);
      const { run } = await test.send(id, script(say(`answer ${n}`)));
      const lines = await spoken(id);
      expect(lines.filter((line) => line === `agent answer ${n}`)).toHaveLength(1);
      expect(await test.store.readRun(run.id)).toMatchObject({ status: "completed" });
    }
  });
});
