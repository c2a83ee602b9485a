import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { ask, say, script, tell, waitFor } from "../../providers/testing/script.ts";
import type { Sent } from "../runtime.ts";
import { TestRuntime, transcript } from "../testing/test-runtime.ts";

const PATIENT = { timeout: 30_000 };
const STEERABLE = { capabilities: { steering: true, resume: true, load: true } };

let test: TestRuntime;
beforeEach(async () => {
  test = await TestRuntime.open({ agents: [STEERABLE, { name: "plain" }] });
});
afterEach(() => test.close());

const gate = (name: string): string => path.join(test.folder, name);
const open = (name: string): void => writeFileSync(gate(name), "");

/** A session whose agent works until the gate `go` is open. */
async function working(more: Parameters<TestRuntime["createSession"]>[0] = {}): Promise<string> {
  const id = await test.createSession(more);
  await test.send(id, script(say("begun"), waitFor(gate("go")), say(" done")));
  await test.until(id, ({ messages }) => messages.length === 2);
  return id;
}

const steer = (id: string, text: string): Promise<Sent> =>
  test.send(id, text, { delivery: "steer" });

describe("a session", () => {
  it("D2 says whether its agent takes messages, also after a handover and a crash", async () => {
    const id = await working();
    const supports = async (): Promise<boolean> => (await test.read(id)).session.supportsSteering;
    expect(await supports()).toBe(true);
    open("go");
    await test.idle(id);
    await test.send(id, "hello", { provider: "plain" });
    await test.idle(id);
    expect(await supports()).toBe(false);
    await test.send(id, "back again", { provider: "scripted" });
    await test.idle(id);
    expect(await supports()).toBe(true);
    await test.restartAfterCrash();
    expect(await supports()).toBe(true);
  });
});

describe("a message that steers", () => {
  it("D2 reaches the agent during its run, and stands in the transcript where the agent took it", async () => {
    const id = await working();
    const [{ id: runId } = { id: "" }] = await test.store.readRuns(id);
    const sent = await steer(id, "turn left");
    expect(sent).toMatchObject({ steering: "injected", queued: false, run: { id: runId } });
    expect(sent.content).toMatchObject({ text: "turn left", injected: true });
    open("go");
    const after = await test.idle(id);
    expect(transcript(after).slice(1)).toEqual([
      "agent begun",
      "user turn left",
      "agent heard: turn left done",
    ]);
    expect(after.messages[2]).toMatchObject({ runId, content: { injected: true } });
    expect((await test.store.readRuns(id)).map(({ status }) => status)).toEqual(["completed"]);
  });

  it("D2 is queued, and the reply says so, if the agent cannot be steered", async () => {
    const id = await working({ provider: "plain" });
    const sent = await steer(id, script(say("later")));
    expect(sent).toMatchObject({ steering: "queued", queued: true, position: 0 });
    open("go");
    const after = await test.idle(id);
    expect(transcript(after).at(-1)).toBe("agent later");
  });

  it.each(["REFUSE", "FAIL", "ERROR"])("D2 is queued if the agent answers %s", async (word) => {
    const id = await working();
    const sent = await steer(id, `${word} it`);
    expect(sent).toMatchObject({
      steering: "queued",
      queued: true,
      waitsFor: expect.stringContaining("did not take"),
    });
    open("go");
    const after = await test.idle(id);
    expect(transcript(after).slice(2)).toEqual([`user ${word} it`, `agent echo: ${word} it`]);
  });

  it("D2 is queued, and keeps its settings, if it has a mode of its own", async () => {
    await test.restartWith({ agents: [{ ...STEERABLE, modes: ["ask", "plan"] }] });
    const id = await working();
    const sent = await test.send(id, script(tell("mode")), {
      delivery: "steer",
      settings: { mode: "plan" },
    });
    expect(sent).toMatchObject({ steering: "queued", queued: true });
    open("go");
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent mode: plan");
  });

  it("D2 starts a run if the session is idle", async () => {
    const id = await test.createSession();
    const sent = await steer(id, script(say("hello")));
    expect(sent).toMatchObject({ queued: false, run: { status: "running" } });
    expect(sent.steering).toBeUndefined();
    await test.idle(id);
  });

  it("D2 is given in the order in which several were sent, each once", async () => {
    const id = await working();
    const texts = Array.from({ length: 8 }, (_, index) => `step ${index}`);
    for (const text of texts) await steer(id, text);
    open("go");
    const after = await test.idle(id);
    const users = after.messages.filter(({ role }) => role === "user").slice(1);
    expect(users.map(({ content }) => content["text"])).toEqual(texts);
    const said = transcript(after).join("\n");
    for (const text of texts) expect(said.split(`heard: ${text}`)).toHaveLength(2);
  });

  it("D2 reaches an agent that waits for a permission", async () => {
    const id = await test.createSession();
    await test.send(id, script(ask({ id: "t1", title: "write" })));
    const waiting = await test.until(id, ({ session }) => session.state === "suspended");
    expect(await steer(id, "and be quick")).toMatchObject({ steering: "injected" });
    const { suspensions } = waiting.session;
    await test.runtime.answer({
      sessionId: id,
      suspensionId: suspensions[0]?.id ?? "",
      answer: "allow",
      by: "ada",
    });
    const after = await test.idle(id);
    expect(transcript(after)).toContain("user and be quick");
  });

  it("D2 is the same message when the request is repeated with its key", async () => {
    const id = await working();
    const idempotency = { key: "k", requestHash: "h" };
    const request = test.message(id, "once", { delivery: "steer", idempotency });
    const first = await test.runtime.sendMessage(request);
    const second = await test.runtime.sendMessage(request);
    expect(second).toEqual(first);
    expect(first).toMatchObject({ ok: true, sent: { steering: "injected" } });
    open("go");
    const after = await test.idle(id);
    expect(transcript(after).filter((line) => line === "user once")).toHaveLength(1);
  });

  it.each(["briefed", "resumed"])(
    "D2 goes to the next agent, too, if the agent dies after it took the message: %s",
    async (how) => {
      const folder = how === "resumed" ? gate("memory") : null;
      await test.restartWith({ agents: [{ ...STEERABLE, folder }] });
      const id = await working();
      await steer(id, "remember the milk");
      await test.restartAfterCrash();
      await test.until(id, ({ session }) => session.state === "idle");
      const { run } = await test.send(id, "what now?");
      const after = await test.idle(id);
      expect(await test.store.readRun(run.id)).toMatchObject({ memory: { how } });
      expect(transcript(after).at(-1)).toMatch(/^agent echo: .*remember the milk.*what now/su);
    },
  );
});

describe("a message whose outcome is not stored", () => {
  it.each(["EXIT now", "ODD one"])(
    "D2 is said to be unknown, and never given again: %s",
    async (text) => {
      const id = await working();
      const sent = await steer(id, text);
      expect(sent).toMatchObject({ steering: "unknown", queued: false });
      open("go");
      const after = await test.idle(id);
      const messages = after.messages.filter(({ content }) => content["text"] === text);
      expect(messages).toMatchObject([{ content: { steering: "unknown" } }]);
      const notices = after.messages.filter(
        ({ content }) => content["notice"] === "steering_unknown",
      );
      expect(notices).toMatchObject([{ content: { messageId: sent.messageId } }]);
      expect(transcript(after).join("\n")).not.toContain(`echo: ${text}`);
    },
  );

  it("D2 is queued after a crash before it was given, and unknown after a crash while it was given", async () => {
    const id = await working();
    const pending = test.runtime.sendMessage(
      test.message(id, `AFTER ${gate("never")}`, { delivery: "steer" }),
    );
    const states = async (): Promise<readonly unknown[]> =>
      (await test.store.readQueue(id)).map(({ steer: state }) => state);
    await vi.waitUntil(async () => (await states())[0] === "given", PATIENT);
    const second = test.runtime.sendMessage(test.message(id, "second", { delivery: "steer" }));
    await vi.waitUntil(async () => (await states())[1] === "wanted", PATIENT);
    await Promise.allSettled([pending, second]);
    await test.restartAfterCrash();
    const isAnswered = (line: string): boolean => /^agent echo: .*second$/su.test(line);
    const after = await test.until(id, (whole) => transcript(whole).some(isAnswered));
    const lines = transcript(after);
    expect(lines.filter((line) => line === "user second")).toHaveLength(1);
    const unknown = after.messages.filter(({ content }) => content["steering"] === "unknown");
    expect(unknown).toHaveLength(1);
    expect(lines.join("\n")).not.toContain("heard: AFTER");
  });
});
