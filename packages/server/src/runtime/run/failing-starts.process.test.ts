import { randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { fail, say, script } from "../../providers/testing/script.ts";
import { scriptedCommand } from "../../providers/testing/scripted-provider.ts";
import { TestRuntime, transcript, type TestRuntimeOptions } from "../testing/test-runtime.ts";

let test: TestRuntime;
afterEach(() => test.close());

async function open(options: TestRuntimeOptions = {}): Promise<string> {
  test = await TestRuntime.open(options);
  return test.createSession();
}

const agentLines = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => !line.startsWith("user"));

describe("an agent that fails while it starts", () => {
  /** The first so many starts fail, of all agents together. */
  const failing = (times: number, code = -32603): TestRuntimeOptions => ({
    agents: [
      {
        folder: "memory",
        at: { session: [fail({ code, message: "failed to open its state", times })] },
      },
    ],
  });

  it("C4: is started again after a pause: nothing was handed over that could happen twice", async () => {
    const id = await open(failing(2));
    const sent = await test.send(id, script(say("at last")));
    expect(agentLines(transcript(await test.idle(id)))).toEqual(["agent at last"]);
    expect(await test.store.readRun(sent.run.id)).toMatchObject({
      status: "completed",
      attempts: 1,
      error: null,
    });
  });

  it("C4: also when it ends by itself", async () => {
    const gate = path.join(tmpdir(), `holdfast-start-${randomUUID()}`);
    const once = `test -e ${gate} || { : > ${gate}; exit 3; }; exec "$@"`;
    const command = ["/bin/sh", "-c", once, "sh", ...scriptedCommand];
    const id = await open({ agents: [{ definition: { command } }] });
    await test.send(id, script(say("at last")));
    expect(agentLines(transcript(await test.idle(id)))).toEqual(["agent at last"]);
    rmSync(gate);
  });

  it("C4: fails after as many attempts as any other temporary failure", async () => {
    const id = await open({ ...failing(100), limits: { retries: 2 } });
    const sent = await test.send(id, script(say("never")));
    const { messages } = await test.idle(id);
    expect(messages.at(-1)?.content).toMatchObject({
      notice: "run_failed",
      code: "agent_failed",
      text: expect.stringContaining("failed to open its state"),
    });
    expect(await test.store.readRun(sent.run.id)).toMatchObject({ status: "failed", attempts: 0 });
    expect(startsTried()).toBe(3);
  });

  it("C4: is not started again when it does not understand the request", async () => {
    const id = await open(failing(100, -32602));
    await test.send(id, script(say("never")));
    const { messages } = await test.idle(id);
    expect(messages.at(-1)?.content).toMatchObject({ notice: "run_failed", code: "agent_failed" });
    expect(startsTried()).toBe(1);
  });

  /** How often an agent was asked for a session, by its own count. */
  const startsTried = (): number =>
    Number(readFileSync(path.join(test.repoPath, "memory", "count-fail.json"), "utf8"));
});

describe("an agent that is not there", () => {
  it("is refused with the command to get it, before anything is stored", async () => {
    test = await TestRuntime.open({
      agents: [
        {},
        {
          name: "absent",
          definition: {
            title: "Absent",
            command: ["/nowhere/absent-agent"],
            install: "npm install -g absent",
          },
        },
      ],
    });
    const id = await test.createSession();
    const refused = await test.runtime.sendMessage(test.message(id, "hi", { provider: "absent" }));
    expect(refused).toMatchObject({
      refusal: {
        code: "agent_not_installed",
        message: expect.stringContaining("npm install -g absent"),
      },
    });
    const unknown = await test.runtime.sendMessage(test.message(id, "hi", { provider: "nobody" }));
    expect(unknown).toMatchObject({ refusal: { code: "provider_unknown" } });
    expect((await test.read(id)).messages).toEqual([]);
  });
});
