import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { RunMemory } from "../../domain/run.ts";
import { ask, echo, recall, say, script, type Ask } from "../../providers/testing/script.ts";
import type { ScriptedDefinition } from "../../providers/testing/scripted-provider.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";

let test: TestRuntime;
afterEach(() => test.close());

async function killAgent(): Promise<void> {
  await test.killAgents();
}

async function memories(sessionId: string): Promise<readonly (RunMemory | null)[]> {
  return (await test.store.readRuns(sessionId)).map(({ memory }) => memory);
}

async function sendAndWait(id: string, text: string, more = {}): Promise<readonly string[]> {
  await test.send(id, text, more);
  return transcript(await test.idle(id));
}

describe("each run", () => {
  it.each<[string, ScriptedDefinition["capabilities"], RunMemory]>([
    ["resumed", { resume: true, load: true }, { how: "resumed" }],
    ["loaded", { load: true }, { how: "loaded" }],
    ["briefed", {}, { how: "briefed", given: 4, of: 4 }],
  ])(
    "records how its agent got its memory: none, live, %s (A10)",
    async (_, capabilities, last) => {
      test = await TestRuntime.open();
      const folder = path.join(test.folder, "memory");
      await test.close();
      test = await TestRuntime.open({ agents: [{ folder, capabilities: { ...capabilities } }] });
      const id = await test.createSession();
      await sendAndWait(id, `${script(say("one"))}\nthe first word is plum`);
      await sendAndWait(id, script(say("two")));
      await killAgent();
      const lines = await sendAndWait(id, script(last.how === "briefed" ? echo() : recall()));
      expect(await memories(id)).toEqual([{ how: "none" }, { how: "live" }, last]);
      expect(lines.at(-1)).toContain("plum");
      // Nothing of what the agent replays of its own memory is in the history a second time.
      expect(lines.filter((line) => line.startsWith("agent one"))).toHaveLength(1);
    },
  );

  it("falls back to a briefing when the agent promised to resume and cannot", async () => {
    test = await TestRuntime.open();
    const folder = path.join(test.folder, "memory");
    await test.close();
    const broken: ScriptedDefinition = {
      folder,
      capabilities: { resume: true, load: true },
      resume: "error",
      load: "error",
    };
    test = await TestRuntime.open({ agents: [broken] });
    const id = await test.createSession();
    await sendAndWait(id, `${script(say("one"))}\nthe first word is plum`);
    await killAgent();
    const lines = await sendAndWait(id, script(echo()));
    expect((await memories(id)).at(-1)).toEqual({ how: "briefed", given: 2, of: 2 });
    expect(lines.at(-1)).toContain("plum");
  });
});

describe("a message that asks for continuity", () => {
  it("is not given to an agent that would have to be briefed, and says why (A10)", async () => {
    test = await TestRuntime.open();
    const id = await test.createSession();
    await sendAndWait(id, script(say("one")));
    await killAgent();
    const lines = await sendAndWait(id, script(say("never")), { continuity: "required" });
    expect(lines.at(-1)).toMatch(/^system Failed: .*take its own session up again/u);
    expect(lines.join("\n")).not.toContain("agent never");
    expect((await sendAndWait(id, script(say("after all")))).at(-1)).toBe("agent after all");
  });

  it("is given where the agent lives, or is the first", async () => {
    test = await TestRuntime.open();
    const id = await test.createSession();
    const required = { continuity: "required" as const };
    expect((await sendAndWait(id, script(say("one")), required)).at(-1)).toBe("agent one");
    expect((await sendAndWait(id, script(say("two")), required)).at(-1)).toBe("agent two");
  });

  it("can ask for none also while the agent lives: it gets another one", async () => {
    test = await TestRuntime.open();
    const id = await test.createSession();
    await sendAndWait(id, script(say("one")));
    const before = await test.processes();
    await sendAndWait(id, script(say("two")), { continuity: "off" });
    expect(await test.processes()).not.toEqual(before);
    expect((await memories(id)).at(-1)).toEqual({ how: "none" });
  });

  it("can ask for none: the agent starts fresh, and everybody can see it", async () => {
    test = await TestRuntime.open();
    const id = await test.createSession();
    await sendAndWait(id, `${script(say("one"))}\nthe first word is plum`);
    await killAgent();
    const lines = await sendAndWait(id, script(echo()), { continuity: "off" });
    expect((await memories(id)).at(-1)).toEqual({ how: "none" });
    expect(lines.at(-2)).toBe(
      "system A new agent was started. It knows nothing of what was said before.",
    );
    expect(lines.at(-1)).not.toContain("plum");
  });
});

describe("another provider for a message", () => {
  it("goes on in the same session, knows what was said, and the history shows the switch (C2)", async () => {
    test = await TestRuntime.open({ agents: [{ name: "first" }, { name: "second" }] });
    const id = await test.createSession();
    await sendAndWait(id, `${script(say("one"))}\nthe first word is plum`);
    const lines = await sendAndWait(id, script(echo()), { provider: "second" });
    expect(lines.at(-2)).toBe(
      "system second goes on in place of first. It was briefed with all 2 earlier messages.",
    );
    expect(lines.at(-1)).toContain("plum");
    const back = await sendAndWait(id, script(echo()), { provider: "first" });
    expect(back.at(-2)).toMatch(/^system first goes on in place of second\./u);
    expect((await test.store.readRuns(id)).map(({ provider }) => provider)).toEqual([
      "first",
      "second",
      "first",
    ]);
    expect((await test.processes()).length).toBe(1);
  });
});

describe("an answer given while no agent was there", () => {
  const QUESTION: Ask = { id: "t1", title: "Write a.txt", kind: "edit", input: { path: "a.txt" } };
  const OTHER: Ask = { ...QUESTION, id: "t3", title: "Write b.txt", input: { path: "b.txt" } };

  async function askedAndKilled(...asks: readonly Ask[]): Promise<{ id: string; first: string }> {
    test = await TestRuntime.open({
      agents: [{ otherwise: [...asks.map((each) => ask(each)), say(" done")] }],
    });
    const id = await test.createSession();
    await test.send(id, "go");
    const { session } = await test.until(id, (whole) => whole.session.state === "suspended");
    await killAgent();
    return { id, first: session.suspensions[0]?.id ?? "" };
  }

  const answer = (sessionId: string, suspensionId: string, choice: string) =>
    test.runtime.answer({ sessionId, suspensionId, answer: choice, by: "ada" });

  it.each(["allow", "reject"])(
    "is applied once when the next agent asks the same: %s (C3, P7)",
    async (choice) => {
      const { id, first } = await askedAndKilled(QUESTION);
      ok(await answer(id, first, choice));
      const whole = await test.idle(id);
      expect(transcript(whole).at(-1)).toContain(`answer: ${choice} done`);
      const [, carried] = await test.store.readSuspensions(id);
      expect(carried).toMatchObject({
        status: "answered",
        answer: { optionId: choice },
        answeredBy: `an earlier answer, ${first}`,
      });
    },
  );

  it("is not applied a second time: that is asked again (C3, P7)", async () => {
    const { id, first } = await askedAndKilled(QUESTION, { ...QUESTION, id: "t2" });
    ok(await answer(id, first, "allow"));
    const { session } = await test.until(id, (whole) => whole.session.state === "suspended");
    expect(session.suspensions[0]?.id).not.toBe(first);
    ok(await answer(id, session.suspensions[0]?.id ?? "", "reject"));
    expect(transcript(await test.idle(id)).join("\n")).toMatch(
      /answer: allow[\s\S]*answer: reject/u,
    );
  });

  it("is not applied to another question (C3, P7)", async () => {
    test = await TestRuntime.open({ agents: [{ otherwise: [ask(OTHER), say(" done")] }] });
    const id = await test.createSession();
    await test.send(id, script(ask(QUESTION)));
    const { session } = await test.until(id, (whole) => whole.session.state === "suspended");
    await killAgent();
    const first = session.suspensions[0]?.id ?? "";
    ok(await answer(id, first, "allow"));
    const again = await test.until(
      id,
      (whole) => whole.session.state === "suspended" && whole.session.suspensions[0]?.id !== first,
    );
    expect(again.session.suspensions[0]?.request).toMatchObject({ title: "Write b.txt" });
  });
});
