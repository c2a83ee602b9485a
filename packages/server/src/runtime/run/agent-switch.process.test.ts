import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { nextAgent } from "../../domain/choose-agent.ts";
import type { RunMemory } from "../../domain/run.ts";
import { echo, recall, say, script, waitFor } from "../../providers/testing/script.ts";
import type { ScriptedDefinition } from "../../providers/testing/scripted-provider.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";

let test: TestRuntime;
afterEach(() => test.close());

/** Two agents that keep their sessions in folders of their own, and can take them up again. */
function twoAgents(more: ScriptedDefinition = {}): readonly ScriptedDefinition[] {
  const agent = (name: string): ScriptedDefinition => ({
    name,
    folder: path.join(test.folder, name),
    capabilities: { resume: true },
    ...more,
  });
  return [agent("a"), agent("b")];
}

async function openTwo(more: ScriptedDefinition = {}): Promise<void> {
  test = await TestRuntime.open();
  await test.restartWith({ agents: twoAgents(more) });
}

async function sendAndWait(id: string, text: string, more = {}): Promise<readonly string[]> {
  await test.send(id, text, more);
  return transcript(await test.idle(id));
}

async function runs(
  sessionId: string,
): Promise<readonly (readonly [string | null, RunMemory | null])[]> {
  const all = await test.store.readRuns(sessionId);
  return all.map(({ provider, memory }) => [provider, memory] as const);
}

const count = (text: string | undefined, word: string): number =>
  (text ?? "").split(word).length - 1;

describe("an agent that comes back after another one", () => {
  it.each<["resumed" | "loaded", ScriptedDefinition["capabilities"]]>([
    ["resumed", { resume: true }],
    ["loaded", { load: true }],
  ])(
    "A10, C2: has its own session, %s, and is told once what was said since",
    async (how, capabilities) => {
      await openTwo({ capabilities: { ...capabilities } });
      const id = await test.createSession();
      await sendAndWait(id, `${script(say("one"))}\nthe first word is plum`);
      await sendAndWait(id, `${script(say("two"))}\nthe second word is fig`, { provider: "b" });
      const back = await sendAndWait(id, script(echo(), recall()), { provider: "a" });
      expect(await runs(id)).toEqual([
        ["a", { how: "none" }],
        ["b", { how: "briefed", given: 2, of: 2 }],
        ["a", { how, given: 3, of: 3 }],
      ]);
      expect(back.at(-2)).toBe(
        "system a goes on in place of b. It took its own session up again and was told all 3 messages since.",
      );
      const [told, recalled] = back.at(-1)?.split("recall:") ?? [];
      expect(count(told, "fig")).toBe(1);
      expect(told).toContain("Agent: two");
      // The agent is not told again about messages that it knows.
      expect(told).not.toContain("plum");
      expect(recalled).toContain("plum");

      const live = await sendAndWait(id, script(echo()));
      expect(live.at(-1)).not.toContain("fig");
      await test.killAgents();
      const again = await sendAndWait(id, script(echo()));
      expect(again.at(-1)).not.toContain("fig");
      expect((await runs(id)).slice(3)).toEqual([
        ["a", { how: "live" }],
        ["a", { how }],
      ]);
    },
  );

  it("A10, C5: also when the server went away in between, in whatever way", async () => {
    await openTwo();
    const id = await test.createSession();
    await sendAndWait(id, `${script(say("one"))}\nthe first word is plum`);
    await test.stop();
    await test.start();
    await sendAndWait(id, `${script(say("two"))}\nthe second word is fig`, { provider: "b" });
    await test.restartAfterCrash();
    const back = await sendAndWait(id, script(echo()), { provider: "a" });
    expect((await runs(id)).at(-1)).toEqual(["a", { how: "resumed", given: 3, of: 3 }]);
    expect(count(back.at(-1), "fig")).toBe(1);
    await test.stop();
    await test.start();
    const again = await sendAndWait(id, script(echo()), { provider: "b" });
    expect((await runs(id)).at(-1)).toEqual(["b", { how: "resumed", given: 3, of: 3 }]);
    expect(again.at(-1)).not.toContain("plum");
  });

  it("A10: is enough for a message that requires continuity", async () => {
    await openTwo();
    const id = await test.createSession();
    await sendAndWait(id, script(say("one")));
    await sendAndWait(id, script(say("two")), { provider: "b" });
    const required = { provider: "a", continuity: "required" };
    expect((await sendAndWait(id, script(say("three")), required)).at(-1)).toBe("agent three");
  });

  it("A10: is briefed, with all that was said, when it cannot take its own session up again", async () => {
    await openTwo({ resume: "error" });
    const id = await test.createSession();
    await sendAndWait(id, `${script(say("one"))}\nthe first word is plum`);
    await sendAndWait(id, script(say("two")), { provider: "b" });
    const back = await sendAndWait(id, script(echo()), { provider: "a" });
    expect((await runs(id)).at(-1)?.[1]).toMatchObject({ how: "briefed" });
    expect(back.at(-1)).toContain("plum");
  });

  it("A10, C4: is started afresh when it dies of what it left, and not tried with that again", async () => {
    await openTwo({ resume: "exits" });
    const id = await test.createSession();
    await sendAndWait(id, `${script(say("one"))}\nthe first word is plum`);
    await sendAndWait(id, script(say("two")), { provider: "b" });
    const back = await sendAndWait(id, script(echo()), { provider: "a" });
    expect((await runs(id)).at(-1)?.[1]).toMatchObject({ how: "briefed" });
    expect(back.at(-1)).toContain("plum");
  });

  it("A10: knows nothing of a session in which it was never asked anything", async () => {
    await openTwo({ resume: "error" });
    const id = await test.createSession();
    await sendAndWait(id, `${script(say("one"))}\nthe first word is plum`);
    await test.killAgents();
    // It gets a new session of its own, and the run ends before it is asked anything there.
    const forgot = await sendAndWait(id, script(say("never")), { continuity: "required" });
    expect(forgot.at(-1)).toMatch(/^system Failed: /u);
    await test.restartWith({ agents: twoAgents() });
    const lines = await sendAndWait(id, script(echo()));
    expect((await runs(id)).at(-1)?.[1]).toMatchObject({ how: "briefed" });
    expect(lines.at(-1)).toContain("plum");
  });
});

describe("C2, ruling 18: a message that chooses no agent", () => {
  const next = async (id: string) => nextAgent((await test.read(id)).session);

  it("goes to the one that worked last, also after the server's default has changed", async () => {
    await openTwo();
    const id = await test.createSession();
    await sendAndWait(id, script(say("one")));
    await test.restartWith({ defaultProvider: "b" });
    expect(await next(id)).toEqual({ provider: "a", model: null });
    await sendAndWait(id, script(say("two")));
    expect((await runs(id)).map(([provider]) => provider)).toEqual(["a", "a"]);
    const other = await test.createSession();
    await sendAndWait(other, script(say("one")));
    expect((await runs(other)).map(([provider]) => provider)).toEqual(["b"]);
  });

  it("goes to the default that was chosen while the server runs", async () => {
    await openTwo();
    expect(await test.runtime.setDefaultProvider("nobody")).toMatchObject({
      ok: false,
      refusal: { code: "provider_unknown" },
    });
    expect((await test.runtime.listProviders()).defaultProvider).toBe("a");
    expect(ok(await test.runtime.setDefaultProvider("b"))).toMatchObject({ defaultProvider: "b" });
    const id = await test.createSession();
    await sendAndWait(id, script(say("one")));
    expect((await runs(id)).map(([provider]) => provider)).toEqual(["b"]);
  });

  it("sticks to what a message chose, with its model, until another one or the preference says otherwise", async () => {
    await openTwo({ models: ["small", "large"] });
    const id = await test.createSession();
    await sendAndWait(id, script(say("one")), { provider: "b", model: "large" });
    await sendAndWait(id, script(say("two")));
    await sendAndWait(id, script(say("three")), { provider: "a" });
    ok(await test.runtime.updateSession({ sessionId: id, changes: { provider: "b" } }));
    await sendAndWait(id, script(say("four")));
    const all = await test.store.readRuns(id);
    expect(all.map(({ provider, model }) => [provider, model])).toEqual([
      ["b", "large"],
      ["b", "large"],
      ["a", null],
      ["b", null],
    ]);
  });

  it("is chosen for when its run starts, if it was queued", async () => {
    await openTwo();
    const id = await test.createSession();
    const gate = path.join(test.folder, "gate");
    await test.send(id, script(waitFor(gate), say("one")));
    await test.send(id, script(say("two")), { provider: "b" });
    await test.send(id, script(say("three")));
    writeFileSync(gate, "");
    await test.idle(id);
    expect((await runs(id)).map(([provider]) => provider)).toEqual(["a", "b", "b"]);
  });

  it("is refused, and says why, when its agent is not configured any more", async () => {
    await openTwo();
    const id = await test.createSession();
    await sendAndWait(id, script(say("one")), { provider: "b" });
    await test.restartWith({ agents: twoAgents().slice(0, 1) });
    const refused = await test.runtime.sendMessage(test.message(id, "hello"));
    expect(refused).toMatchObject({
      ok: false,
      refusal: {
        code: "provider_unknown",
        message:
          'The session\'s last run used the provider "b", which is no longer configured. ' +
          "Configure it, or choose another provider for the message or the session.",
      },
    });
    expect((await sendAndWait(id, script(say("two")), { provider: "a" })).at(-1)).toBe("agent two");
    expect((await sendAndWait(id, script(say("three")))).at(-1)).toBe("agent three");
  });

  it("goes on in a fork with the agent that the original ran with last", async () => {
    await openTwo();
    const id = await test.createSession();
    await sendAndWait(id, script(say("one")), { provider: "b" });
    const { session } = ok(await test.runtime.fork({ sessionId: id, atMessage: null }));
    expect(await next(session.id)).toEqual({ provider: "b", model: null });
  });
});
