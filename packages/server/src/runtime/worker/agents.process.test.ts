import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { ask, say, script, waitFor, type Step } from "../../providers/testing/script.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";

let test: TestRuntime;
afterEach(() => test.close());

const gate = (name: string): string => path.join(test.folder, name);
const until = (name: string): Step => waitFor(gate(name));

async function busySession(name: string): Promise<string> {
  const id = await test.createSession();
  await test.send(id, script(say("working"), until(name)));
  await test.until(id, ({ messages }) => messages.length === 2);
  return id;
}

/** The stored state can be read a moment before the slot is free. */
async function noneAtWork(): Promise<void> {
  await expect.poll(async () => (await test.runtime.measure()).busyAgents).toBe(0);
}

describe("the limit of live agents", () => {
  it("turns new sessions away while all are at work, and says so in the log (A11)", async () => {
    test = await TestRuntime.open({ limits: { liveAgents: 1 } });
    const busy = await busySession("go");
    const message = { type: "text", text: "one more" };
    const refused = await test.runtime.createSession(test.newSession({ message }));
    expect(refused).toMatchObject({
      refusal: { code: "agents_busy", message: expect.stringContaining("AGENT_MAX_SESSIONS") },
    });
    expect(test.logged).toContainEqual(expect.objectContaining({ level: "warn" }));
    writeFileSync(gate("go"), "");
    await test.idle(busy);
    await noneAtWork();
    expect(await test.runtime.createSession(test.newSession({ message }))).toMatchObject({
      ok: true,
    });
  });

  it("creates sessions without a message, which need no agent yet", async () => {
    test = await TestRuntime.open({ limits: { liveAgents: 1 } });
    await busySession("go");
    expect(await test.runtime.createSession(test.newSession())).toMatchObject({ ok: true });
  });

  it("keeps a message that needs a further agent until a slot is free (A11)", async () => {
    test = await TestRuntime.open({ limits: { liveAgents: 1 } });
    const other = await test.createSession();
    const busy = await busySession("go");
    const sent = await test.send(other, script(say("my turn")));
    expect(sent).toMatchObject({ queued: true, waitsFor: expect.stringContaining("slots") });
    const now = await test.runtime.sendMessage(
      test.message(await idleSession(), "now", { delivery: "reject" }),
    );
    expect(now).toMatchObject({ refusal: { code: "agents_busy" } });
    writeFileSync(gate("go"), "");
    expect(transcript(await test.idle(other)).at(-1)).toBe("agent my turn");
    expect((await test.idle(busy)).session.state).toBe("idle");
    expect((await test.processes()).length).toBeLessThanOrEqual(1);
  });

  /** A session that existed before the slots were taken. */
  async function idleSession(): Promise<string> {
    const { sessions } = await test.runtime.listSessions({ limit: 1, states: ["idle"] });
    const { session } = ok(
      await test.runtime.fork({ sessionId: sessions[0]?.id ?? "", atMessage: null }),
    );
    return session.id;
  }

  it("ends the agent idle for longest before anybody has to wait (A11)", async () => {
    test = await TestRuntime.open({ limits: { liveAgents: 2 } });
    const [a, b, c] = [
      await test.createSession(),
      await test.createSession(),
      await test.createSession(),
    ];
    for (const id of [a, b, c]) {
      await test.send(id, script(say("one")));
      await test.idle(id);
    }
    expect((await test.processes()).length).toBe(2);
    for (const id of [b, c, a]) {
      await test.send(id, script(say("two")));
      expect(transcript(await test.idle(id)).at(-1)).toBe("agent two");
    }
    expect((await test.processes()).length).toBe(2);
  });

  it("ends an agent that only waits for an answer, and loses no question (A11, C3)", async () => {
    test = await TestRuntime.open({ limits: { liveAgents: 1 } });
    const waiting = await test.createSession();
    await test.send(waiting, script(ask({ id: "p", title: "May I?" }), say(" thanks")));
    const { session } = await test.until(waiting, (whole) => whole.session.state === "suspended");
    await noneAtWork();
    const other = await test.createSession();
    await test.send(other, script(say("hello")));
    expect(transcript(await test.idle(other)).at(-1)).toBe("agent hello");
    expect((await test.read(waiting)).session.state).toBe("suspended");
    ok(
      await test.runtime.answer({
        sessionId: waiting,
        suspensionId: session.suspensions[0]?.id ?? "",
        answer: "allow",
        by: "ada",
      }),
    );
    const whole = await test.until(waiting, (each) => each.session.state !== "running");
    expect([whole.session.state, ...transcript(whole).slice(-2)]).toEqual([
      "idle",
      expect.stringContaining('"May I?". The user ALLOWED it (allow_once).'),
      expect.stringContaining('system "May I?" was allowed, but the agent did not do it'),
    ]);
  });

  it("cuts nobody off when questions are answered while others take the slots (A11, P2)", async () => {
    test = await TestRuntime.open({ limits: { liveAgents: 2 } });
    const ids: string[] = [];
    for (let index = 0; index < 8; index += 1) ids.push(await test.createSession());
    await Promise.all(
      ids.map((id) => test.send(id, script(ask({ id: "p", title: "May I?" }), say(" done")))),
    );
    let isOver = false;
    const answering = (async () => {
      while (!isOver) {
        for (const { id, sessionId } of await test.runtime.listSuspensions()) {
          await test.runtime.answer({ sessionId, suspensionId: id, answer: "allow", by: "ada" });
        }
        await pause(3);
      }
    })();
    const wholes = await Promise.all(
      ids.map((id) =>
        test.until(id, ({ session, messages }) => session.state === "idle" && messages.length > 1, {
          withinMs: 40_000,
        }),
      ),
    );
    isOver = true;
    await answering;
    expect(wholes.map(({ session }) => session.status)).toEqual(ids.map(() => "active"));
    expect(wholes.flatMap(transcript).filter((line) => line.includes("Interrupted"))).toEqual([]);
  });

  it("lets a session with a long queue make room for others now and then (A11)", async () => {
    test = await TestRuntime.open({ limits: { liveAgents: 1 } });
    const other = await test.createSession();
    const greedy = await busySession("go");
    for (let index = 0; index < 12; index += 1) await test.send(greedy, script(say("more")));
    await test.send(other, script(say("me too")));
    writeFileSync(gate("go"), "");
    await test.idle(other);
    expect((await test.read(greedy)).session.queued).toBeGreaterThan(0);
    await test.idle(greedy);
  });
});

describe("an idle agent", () => {
  it("is ended after its time and nothing else changes; activity begins the time anew (A12)", async () => {
    test = await TestRuntime.open({ limits: { idleMs: 6_000 } });
    const id = await test.createSession();
    await test.send(id, script(say("one")));
    const { session } = await test.idle(id);
    await pause(1_000);
    const again = performance.now();
    await test.send(id, script(say("two")));
    await test.idle(id);
    await test.untilNoProcess({ withinMs: 15_000 });
    expect(performance.now() - again).toBeGreaterThanOrEqual(6_000);
    expect(test.logged.filter(({ text }) => text === "agent started")).toHaveLength(1);
    const after = await test.read(id);
    expect([after.session.status, after.session.state]).toEqual([session.status, "idle"]);
    await test.send(id, script(say("three")));
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent three");
  });

  it("is not in the way of a message that comes while it ends: the message is worked on once (A12, P2)", async () => {
    test = await TestRuntime.open({ limits: { idleMs: 50 } });
    const id = await test.createSession();
    for (let round = 0; round < 8; round += 1) {
      await test.send(id, script(say(`round ${round}`)));
      expect(transcript(await test.idle(id)).at(-1)).toBe(`agent round ${round}`);
      await test.untilNoProcess({ withinMs: 15_000 });
    }
    const runs = await test.store.readRuns(id);
    expect(runs.map(({ attempts }) => attempts)).toEqual(Array(8).fill(1));
  });
});
