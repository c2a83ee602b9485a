import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { RunMemory } from "../../domain/run.ts";
import { echo, recall, say, script, waitFor, write } from "../../providers/testing/script.ts";
import type { ScriptedDefinition } from "../../providers/testing/scripted-provider.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";

let test: TestRuntime;
afterEach(() => test.close());

const FORKS = { resume: true, fork: true } as const;

async function open(...agents: readonly ScriptedDefinition[]): Promise<void> {
  test = await TestRuntime.open();
  const kept = (name: string): string => path.join(test.folder, name);
  const definitions = agents.map((agent, index) => ({
    folder: kept(`memory-${index}`),
    log: kept(`log-${index}`),
    capabilities: FORKS,
    ...agent,
  }));
  await test.restartWith({ agents: definitions });
}

async function sendAndWait(id: string, text: string, more = {}): Promise<readonly string[]> {
  await test.send(id, text, more);
  return transcript(await test.idle(id));
}

async function fork(sessionId: string, atMessage: string | null = null): Promise<string> {
  return ok(await test.runtime.fork({ sessionId, atMessage })).session.id;
}

async function memories(sessionId: string): Promise<readonly (RunMemory | null)[]> {
  return (await test.store.readRuns(sessionId)).map(({ memory }) => memory);
}

/** The ID of the agent's own session. */
async function ownSession(sessionId: string): Promise<unknown> {
  const loaded = await test.store.load(sessionId);
  if (loaded.found !== "session") throw new Error("no such session");
  return loaded.stored.session.resumeData.map(({ data }) => data);
}

function methods(agent = 0): readonly string[] {
  const lines = readFileSync(path.join(test.folder, `log-${agent}`), "utf8").split("\n");
  return lines.flatMap(
    (line) => /"method":"(session\/(?:new|fork|resume))"/u.exec(line)?.[1] ?? [],
  );
}

async function aSession(): Promise<string> {
  const id = await test.createSession();
  await sendAndWait(id, `${script(say("one"))}\nthe first word is plum`);
  return id;
}

const PLUM = /^agent recall: .*plum/su;
const BRIEFED: RunMemory = { how: "briefed", given: 2, of: 2 };

describe("a fork of a whole session", () => {
  it("continues in the agent's own copy, without a briefing, and says so", async () => {
    await open({});
    const origin = await aSession();
    const before = await ownSession(origin);
    const copy = await fork(origin);
    const lines = await sendAndWait(copy, `${script(recall())}\nthe second word is pear`);
    expect(await memories(copy)).toEqual([{ how: "forked" }]);
    expect(lines.at(-2)).toBe(
      "system The agent continues in a copy of its session in the original.",
    );
    expect(lines.at(-1)).toMatch(PLUM);
    expect(lines.join("\n")).not.toContain("again:");
    expect(methods()).toEqual(["session/new", "session/fork"]);
    expect(await ownSession(origin)).toEqual(before);
    expect(await ownSession(copy)).not.toEqual(before);
    // The original knows nothing of the copy.
    expect((await sendAndWait(origin, script(recall()))).at(-1)).not.toContain("pear");
    await test.killAgents();
    expect((await sendAndWait(copy, script(recall()))).at(-1)).toMatch(PLUM);
    expect((await memories(copy)).at(-1)).toEqual({ how: "resumed" });
  });

  it("also at its last message, of an archived one, and of a fork that had no run yet", async () => {
    await open({});
    const origin = await aSession();
    const [, last] = await test.store.readMessages({ sessionId: origin });
    ok(await test.runtime.archive({ sessionId: origin }));
    const copy = await fork(await fork(origin, last?.id ?? ""));
    expect((await sendAndWait(copy, script(recall()))).at(-1)).toMatch(PLUM);
    expect(await memories(copy)).toEqual([{ how: "forked" }]);
  });

  it("is briefed if the original went on meanwhile, whose session then contains more", async () => {
    await open({});
    const origin = await aSession();
    const copy = await fork(origin);
    await sendAndWait(origin, `${script(say("two"))}\nthe second word is pear`);
    const lines = await sendAndWait(copy, script(echo()));
    expect(await memories(copy)).toEqual([BRIEFED]);
    expect(lines.at(-1)).toContain("plum");
    expect(lines.at(-1)).not.toContain("pear");
  });

  it("is briefed if it was made while the original worked, or at an earlier message", async () => {
    await open({});
    const origin = await aSession();
    const [first] = await test.store.readMessages({ sessionId: origin });
    const early = await fork(origin, first?.id ?? "");
    const [begun, go] = [path.join(test.folder, "begun"), path.join(test.folder, "go")];
    await test.send(origin, script(write(begun), waitFor(go), say("two")));
    await test.until(origin, () => readdirSync(test.folder).includes("begun"));
    const busy = await fork(origin);
    expect(await ownSession(busy)).toEqual([]);
    expect(await ownSession(early)).toEqual([]);
    await sendAndWait(early, script(echo()));
    expect(await memories(early)).toEqual([{ how: "briefed", given: 1, of: 1 }]);
    await sendAndWait(origin, script(write(go)), { delivery: "interrupt" });
  });

  it.each(["error", "hangs", "exits", "same"] as const)(
    "is briefed if the agent's fork fails: %s",
    async (how) => {
      await open({ fork: how });
      await test.restartWith({ times: { startMs: how === "hangs" ? 1_500 : 30_000 } });
      const origin = await aSession();
      const before = await ownSession(origin);
      const copy = await fork(origin);
      const lines = await sendAndWait(copy, script(echo()));
      expect(await memories(copy)).toEqual([BRIEFED]);
      expect(lines.at(-1)).toContain("plum");
      expect(await ownSession(copy)).not.toEqual(before);
    },
  );

  it("is briefed if the agent offers no fork, and never resumes the original's session", async () => {
    await open({ capabilities: { resume: true, load: true } });
    const copy = await fork(await aSession());
    await sendAndWait(copy, script(echo()));
    expect(await memories(copy)).toEqual([BRIEFED]);
    expect(methods()).toEqual(["session/new", "session/new"]);
  });

  it("never takes the original's session, also after a crash before the first prompt", async () => {
    let crashes = true;
    await open({});
    const origin = await aSession();
    const copy = await fork(origin);
    const before = await ownSession(origin);
    await test.restartWith({
      failpoint: (name) => {
        if (name !== "agent.started" || !crashes) return;
        crashes = false;
        throw new Error("crash");
      },
    });
    await sendAndWait(copy, script(recall()));
    const lines = await sendAndWait(copy, script(recall()));
    expect(lines.at(-1)).toContain("plum");
    expect(await ownSession(origin)).toEqual(before);
    expect(await ownSession(copy)).not.toEqual(before);
  });

  it("tells the copy what another agent did in the fork first", async () => {
    await open({ name: "first" }, { name: "second" });
    const copy = await fork(await aSession());
    await sendAndWait(copy, `${script(say("aside"))}\nthe second word is pear`, {
      provider: "second",
    });
    const lines = await sendAndWait(copy, script(echo(), recall()), { provider: "first" });
    expect((await memories(copy)).at(-1)).toEqual({ how: "forked", given: 2, of: 2 });
    expect(lines.at(-2)).toContain("and was told all 2 messages since");
    expect(lines.at(-1)).toContain("pear");
    expect(lines.at(-1)).toMatch(/recall: .*plum/su);
  });
});
