import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, askAll, say, script, type Ask } from "../../providers/testing/script.ts";
import type { Suspension } from "../../domain/suspension.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";

let test: TestRuntime;
let id: string;
beforeEach(async () => {
  test = await TestRuntime.open();
  id = await test.createSession();
});
afterEach(() => test.close());

const QUESTION: Ask = { id: "t1", title: "Write a.txt", kind: "edit", input: { path: "a.txt" } };

async function asked(count = 1): Promise<readonly Suspension[]> {
  const { session } = await test.until(id, (whole) => whole.session.suspensions.length === count);
  return session.suspensions;
}

const answer = (suspension: Suspension | undefined, choice: unknown) =>
  test.runtime.answer({
    sessionId: id,
    suspensionId: suspension?.id ?? "",
    answer: choice as string,
    by: "ada",
  });

describe("a permission", () => {
  it("suspends the run until somebody answers, and the agent hears it (C1)", async () => {
    await test.send(id, script(say("Shall I? "), ask(QUESTION), say(" Good.")));
    const [suspension] = await asked();
    expect(suspension).toMatchObject({
      kind: "permission",
      request: { title: "Write a.txt", kind: "edit", input: { path: "a.txt" } },
      fingerprint: expect.any(String),
    });
    expect((await test.read(id)).session).toMatchObject({ status: "active", state: "suspended" });
    const inbox = await test.runtime.listSuspensions();
    expect(inbox.map((each) => [each.sessionId, each.id])).toEqual([[id, suspension?.id]]);
    const { session } = ok(await answer(suspension, "allow"));
    expect(session.state).toBe("running");
    const whole = await test.idle(id);
    expect(transcript(whole).at(-1)).toContain("answer: allow Good.");
    expect(await test.runtime.listSuspensions()).toEqual([]);
    expect(await test.store.readSuspension(suspension?.id ?? "")).toMatchObject({
      status: "answered",
      answeredBy: "ada",
      answer: { optionId: "allow" },
    });
  });

  it("takes an option by its id, as an object, or by its kind, and nothing else", async () => {
    await test.send(
      id,
      script(ask(QUESTION), ask({ ...QUESTION, id: "t2" }), ask({ ...QUESTION, id: "t3" })),
    );
    const [first] = await asked();
    expect(await answer(first, "perhaps")).toMatchObject({ refusal: { code: "answer_invalid" } });
    ok(await answer(first, { optionId: "reject" }));
    await test.until(
      id,
      ({ session }) => session.suspensions[0]?.id !== first?.id && session.state === "suspended",
    );
    const [second] = await asked();
    ok(await answer(second, "allow_once"));
    await test.until(
      id,
      ({ session }) => session.suspensions[0]?.id !== second?.id && session.state === "suspended",
    );
    const [third] = await asked();
    ok(await answer(third, "reject"));
    const text = transcript(await test.idle(id)).join("\n");
    expect(text).toMatch(/answer: reject[\s\S]*answer: allow[\s\S]*answer: reject/u);
  });

  it("counts the first answer; the same again is fine, another one is told it is late (C3)", async () => {
    await test.send(id, script(ask(QUESTION)));
    const [suspension] = await asked();
    const replies = await Promise.all([
      answer(suspension, "allow"),
      answer(suspension, "allow"),
      answer(suspension, "reject"),
    ]);
    expect(replies.map((reply) => (reply.ok ? "ok" : reply.refusal.code))).toEqual([
      "ok",
      "ok",
      "suspension_answered",
    ]);
    expect(transcript(await test.idle(id)).at(-1)).toContain("answer: allow");
  });

  it("asked with others at once waits for all of them (C3)", async () => {
    await test.send(id, script(askAll(QUESTION, { ...QUESTION, id: "t2", title: "Write b.txt" })));
    const both = await asked(2);
    // Questions of the same millisecond may be listed in either order.
    const [first, second] = ["Write a.txt", "Write b.txt"].map((title) =>
      both.find(({ request }) => request["title"] === title),
    );
    const { session } = ok(await answer(second, "reject"));
    expect(session.state).toBe("suspended");
    ok(await answer(first, "allow"));
    expect(transcript(await test.idle(id)).at(-1)).toContain("answers: allow, reject");
  });

  it("can be withdrawn by the agent: the answer is then too late (C3)", async () => {
    const gone = path.join(test.folder, "gone");
    await test.send(id, script(ask({ ...QUESTION, withdrawWhen: gone }), say(" on my own")));
    const [suspension] = await asked();
    writeFileSync(gone, "");
    const whole = await test.idle(id);
    expect(transcript(whole).at(-1)).toContain("on my own");
    expect(await answer(suspension, "allow")).toMatchObject({
      refusal: { code: "suspension_not_open" },
    });
  });

  it("outlives the agent that asked: the question stays open (C3)", async () => {
    await test.send(id, script(ask(QUESTION)));
    const [suspension] = await asked();
    await test.killAgents();
    expect((await test.read(id)).session).toMatchObject({
      state: "suspended",
      suspensions: [{ id: suspension?.id }],
    });
    ok(await answer(suspension, "allow"));
    const whole = await test.idle(id);
    expect(transcript(whole).at(-2)).toContain('"Write a.txt". The user ALLOWED it (allow_once).');
  });

  it("makes messages sent meanwhile wait behind it (C6)", async () => {
    await test.send(id, script(ask(QUESTION)));
    const [suspension] = await asked();
    const sent = await test.send(id, script(say("after")));
    expect(sent).toMatchObject({ queued: true, waitsFor: expect.stringContaining("answer") });
    ok(await answer(suspension, "allow"));
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent after");
  });
});
