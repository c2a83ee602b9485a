import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { say, script } from "../../providers/testing/script.ts";
import type { ScriptedDefinition } from "../../providers/testing/scripted-provider.ts";
import { ok, TestRuntime } from "../testing/test-runtime.ts";

let test: TestRuntime;
afterEach(() => test.close());

const DELETES = { resume: true, delete: true } as const;

async function open(...agents: readonly ScriptedDefinition[]): Promise<void> {
  test = await TestRuntime.open();
  const folder = path.join(test.folder, "memory");
  await test.restartWith({
    agents: agents.map((agent, index) => ({ folder: `${folder}-${index}`, ...agent })),
  });
}

function kept(agent = 0): readonly string[] {
  const folder = path.join(test.folder, `memory-${agent}`);
  return existsSync(folder)
    ? readdirSync(folder).filter((name) => name.startsWith("session-"))
    : [];
}

async function aSession(...providers: readonly string[]): Promise<string> {
  const id = await test.createSession();
  for (const provider of providers.length > 0 ? providers : [undefined]) {
    await test.send(id, script(say("one")), provider === undefined ? {} : { provider });
    await test.idle(id);
  }
  return id;
}

describe("deleting a session (C8)", () => {
  it("leaves the sessions of its agents by default", async () => {
    await open({ capabilities: DELETES });
    const sessionId = await aSession();
    expect(ok(await test.runtime.deleteSession({ sessionId }))).not.toHaveProperty("agentSessions");
    expect(kept()).toHaveLength(1);
  });

  it("deletes them along on request, after their agents have ended, and says what became of each", async () => {
    await open(
      { name: "a", capabilities: DELETES },
      { name: "b", capabilities: { resume: true } },
      { name: "c", capabilities: DELETES },
    );
    const sessionId = await aSession("a", "b", "c");
    const other = await aSession("a");
    expect([kept(0), kept(1), kept(2)].map(({ length }) => length)).toEqual([2, 1, 1]);
    const { agentSessions } = ok(
      await test.runtime.deleteSession({ sessionId, agentSessions: true }),
    );
    expect(agentSessions).toEqual([
      { provider: "a", outcome: "deleted", message: null },
      { provider: "b", outcome: "not_offered", message: null },
      { provider: "c", outcome: "deleted", message: null },
    ]);
    expect([kept(0), kept(1), kept(2)].map(({ length }) => length)).toEqual([1, 1, 0]);
    // Nothing runs any more for the deleted session, and the other one goes on.
    expect(await test.processes()).toHaveLength(1);
    await test.send(other, script(say("two")));
    await test.idle(other);
  });

  it("reports an agent that refuses, exits or is no longer configured", async () => {
    await open({ name: "a", capabilities: DELETES }, { name: "b", capabilities: DELETES });
    const sessionId = await aSession("a", "b");
    await test.restartWith({
      agents: [
        { name: "c" },
        { name: "b", folder: path.join(test.folder, "elsewhere"), capabilities: DELETES },
      ],
    });
    const { agentSessions } = ok(
      await test.runtime.deleteSession({ sessionId, agentSessions: true }),
    );
    expect(agentSessions).toMatchObject([
      { provider: "a", outcome: "failed", message: expect.stringContaining("not configured") },
      { provider: "b", outcome: "failed", message: expect.stringContaining("no such session") },
    ]);
    expect((await test.runtime.readSession(sessionId)).ok).toBe(false);
  });

  it("also works while the agent is busy, and for a fork that never ran", async () => {
    await open({ capabilities: { ...DELETES, fork: true } });
    const sessionId = await aSession();
    const { session: copy } = ok(await test.runtime.fork({ sessionId, atMessage: null }));
    const ofCopy = ok(
      await test.runtime.deleteSession({ sessionId: copy.id, agentSessions: true }),
    );
    expect(ofCopy.agentSessions).toEqual([]);
    expect(kept()).toHaveLength(1);
    await test.send(sessionId, script({ step: "silent" }));
    await test.until(sessionId, (whole) => whole.session.state === "running");
    const { agentSessions } = ok(
      await test.runtime.deleteSession({ sessionId, agentSessions: true }),
    );
    expect(agentSessions).toMatchObject([{ outcome: "deleted" }]);
    expect(kept()).toEqual([]);
  });
});
