import { afterEach, describe, expect, it } from "vitest";
import { ask, fail, say, script, silent, type Step } from "../../providers/testing/script.ts";
import type { AskFromAgent } from "../runtime.ts";
import { ok, TestRuntime, transcript, type TestRuntimeOptions } from "../testing/test-runtime.ts";

let test: TestRuntime;
afterEach(() => test.close());

/** A session whose agent works on something. */
async function working(options: TestRuntimeOptions, ...steps: readonly Step[]): Promise<string> {
  test = await TestRuntime.open(options);
  return workingAgain(...steps);
}

async function workingAgain(...steps: readonly Step[]): Promise<string> {
  const id = await test.createSession();
  await test.send(id, script(say("begun"), ...steps));
  await test.until(id, ({ messages }) => messages.some(({ role }) => role === "agent"));
  return id;
}

const question = (sessionId: string, title = "Which one?"): AskFromAgent => ({
  sessionId,
  kind: "question",
  request: { title },
  expiresInMs: null,
});

async function askIn(sessionId: string, title?: string): Promise<string> {
  return ok(await test.runtime.askFromAgent(question(sessionId, title))).suspension.id;
}

const answer = (sessionId: string, suspensionId: string) =>
  test.runtime.answer({ sessionId, suspensionId, answer: "the blue one", by: "ada" });

describe("a question of an agent", () => {
  it("is refused without a session, without a run, and when the session is over", async () => {
    test = await TestRuntime.open();
    const codeOf = async (sessionId: string): Promise<string> => {
      const asked = await test.runtime.askFromAgent(question(sessionId));
      return asked.ok ? "asked" : asked.refusal.code;
    };
    expect(await codeOf("nobody")).toBe("session_not_found");
    const id = await test.createSession();
    expect(await codeOf(id)).toBe("run_not_current");
    ok(await test.runtime.archive({ sessionId: id }));
    expect(await codeOf(id)).toBe("run_not_current");
    expect(await test.runtime.listSuspensions()).toEqual([]);
  });

  it("is another question when it is an event of the same name", async () => {
    const id = await working({}, silent());
    const first = await askIn(id);
    expect(await askIn(id)).toBe(first);
    const event = { ...question(id), kind: "event" as const };
    expect(ok(await test.runtime.askFromAgent(event)).suspension.id).not.toBe(first);
  });

  it("can be asked again once it was answered", async () => {
    const id = await working({}, ask({ id: "t1", title: "May I?" }));
    await test.until(id, ({ session }) => session.suspensions.length === 1);
    const first = await askIn(id);
    ok(await answer(id, first));
    expect(await askIn(id)).not.toBe(first);
  });

  it("stays open when its agent falls silent, and is answered to another one (C3)", async () => {
    const id = await working({ limits: { silentMs: 3_000 } }, silent());
    const asked = await askIn(id);
    await test.untilNoProcess({ withinMs: 10_000 });
    expect((await test.read(id)).session).toMatchObject({
      state: "suspended",
      suspensions: [{ id: asked }],
    });
    ok(await answer(id, asked));
    expect(transcript(await test.idle(id)).at(-1)).toContain("The answer: the blue one");
  });

  it("outlives an agent that is ended because it is idle, or because another one is needed (C3)", async () => {
    const limits = { liveAgents: 1, idleMs: 300 };
    const first = await working({ limits }, ask({ id: "t1", title: "May I?" }));
    const [permission] = (
      await test.until(first, ({ session }) => session.suspensions.length === 1)
    ).session.suspensions;
    const asked = await askIn(first);
    const allowed = { suspensionId: permission?.id ?? "", answer: "allow", by: "ada" };
    ok(await test.runtime.answer({ sessionId: first, ...allowed }));
    await test.until(first, ({ messages }) => messages.at(-1)?.complete === true);
    const second = await workingAgain();
    await test.idle(second);
    await test.untilNoProcess();
    expect((await test.read(first)).session.suspensions).toMatchObject([{ id: asked }]);
    ok(await answer(first, asked));
    expect(transcript(await test.idle(first)).at(-1)).toContain("The answer: the blue one");
  });

  it("is told again when the prompt that told the answer came to nothing", async () => {
    const limited = fail({ code: 429, data: { retryAfterMs: 100 }, times: 1 });
    const id = await working(
      {
        agents: [{ otherwise: [limited, { step: "echo" }] }],
        limits: { rateLimitMs: 60_000, retryPauseMs: 1, retries: 1 },
      },
      ask({ id: "t1", title: "May I?" }),
    );
    const { session } = await test.until(id, (whole) => whole.session.suspensions.length === 1);
    const asked = await askIn(id);
    const allowed = { suspensionId: session.suspensions[0]?.id ?? "", answer: "allow", by: "ada" };
    ok(await test.runtime.answer({ sessionId: id, ...allowed }));
    ok(await answer(id, asked));
    expect(transcript(await test.idle(id)).at(-1)).toContain("The answer: the blue one");
    const kinds = (await test.store.readSuspensions(id)).map(({ kind }) => kind);
    expect(kinds).toEqual(["permission", "question", "rate_limit"]);
  });

  it("reaches the agent with the answer to a permission, however close they come (C3, P2)", async () => {
    const id = await working({}, ask({ id: "t1", title: "May I?" }));
    for (let round = 0; round < 20; round += 1) {
      if (round > 0) await test.send(id, script(ask({ id: `t${round}`, title: "May I?" })));
      const { session } = await test.until(id, (whole) => whole.session.suspensions.length === 1);
      const permission = session.suspensions[0]?.id ?? "";
      const asked = await askIn(id, `Which one in round ${round}?`);
      const allow = { sessionId: id, suspensionId: permission, answer: "allow", by: "ada" };
      const allowing = test.runtime.answer(allow);
      // At once, and as soon as the first is stored: while the agent is being told of it.
      if (round % 2 === 1) ok(await allowing);
      for (const reply of await Promise.all([allowing, answer(id, asked)])) ok(reply);
      const said = transcript(await test.idle(id)).slice(-2);
      expect(said.join("\n")).toMatch(/answer: allow[^]*The answer: the blue one/);
    }
  });
});
