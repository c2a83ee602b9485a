import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ask, fail, say, script, stop } from "../../providers/testing/script.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";

let test: TestRuntime;
afterEach(() => test.close());

describe("a rate limit whose end is known", () => {
  async function limited(
    rateLimitMs: number | null,
    { retryAfterMs = 700 }: { readonly retryAfterMs?: number } = {},
  ): Promise<string> {
    test = await TestRuntime.open();
    const folder = path.join(test.folder, "counts");
    await test.close();
    test = await TestRuntime.open({
      agents: [{ folder }],
      limits: { rateLimitMs, retryPauseMs: 1, retries: 1 },
    });
    const id = await test.createSession();
    const data = { retryAfterMs };
    await test.send(
      id,
      script(fail({ code: 429, message: "slow down", data, times: 1 }), say("at last")),
    );
    return id;
  }

  it("suspends the run until then, and it goes on by itself (C3, C4)", async () => {
    const begun = Date.now();
    const id = await limited(60_000);
    const whole = await test.idle(id);
    expect(transcript(whole).at(-1)).toBe("agent at last");
    const suspensions = await test.store.readSuspensions(id);
    expect(suspensions).toMatchObject([{ kind: "rate_limit", status: "expired" }]);
    expect(suspensions[0]?.expiresAt).toBeGreaterThanOrEqual(begun + 700);
  });

  it("is waited for across a restart (C3)", async () => {
    const id = await limited(60_000, { retryAfterMs: 6_000 });
    await test.until(id, (whole) => whole.session.state === "suspended");
    await test.stop();
    await test.start();
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent at last");
  });

  it("is not waited for when nobody asked for that (C4)", async () => {
    const id = await limited(null);
    const whole = await test.idle(id);
    expect(await test.store.readSuspensions(id)).toEqual([]);
    expect(transcript(whole).at(-1)).toBe("agent at last");
  });
});

describe("a permission that nobody gives in time", () => {
  it("counts as rejected, never as given (C3, P7)", async () => {
    test = await TestRuntime.open({ limits: { permissionMs: 300 } });
    const id = await test.createSession();
    await test.send(id, script(ask({ id: "p", title: "May I?" }), say(" ok")));
    expect(transcript(await test.idle(id)).at(-1)).toContain("answer: reject ok");
    expect(await test.store.readSuspensions(id)).toMatchObject([{ status: "expired" }]);
  });
});

describe("a session's budget", () => {
  const spend = (tokens: number) => script(stop("end_turn", { totalTokens: tokens }));

  async function spent(): Promise<{ id: string; suspensionId: string }> {
    test = await TestRuntime.open();
    const id = await test.createSession({ metadata: { budget: { tokens: 100 } } });
    await test.send(id, spend(60));
    await test.idle(id);
    await test.send(id, spend(60));
    await test.idle(id);
    await test.send(id, script(say("more")));
    const { session } = await test.until(id, (whole) => whole.session.state === "suspended");
    const [suspension] = session.suspensions;
    expect(suspension).toMatchObject({
      kind: "budget",
      request: { title: "The session has used 120 of its 100 tokens. Go on with this message?" },
    });
    return { id, suspensionId: suspension?.id ?? "" };
  }

  const answer = (sessionId: string, suspensionId: string, choice: string) =>
    test.runtime.answer({ sessionId, suspensionId, answer: choice, by: "ada" });

  it("pauses it when it is used up, and asks; a yes is for this run (C3)", async () => {
    const { id, suspensionId } = await spent();
    expect(await answer(id, suspensionId, "perhaps")).toMatchObject({
      refusal: { code: "answer_invalid" },
    });
    ok(await answer(id, suspensionId, "go_on"));
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent more");
    await test.send(id, script(say("again")));
    await test.until(id, (whole) => whole.session.state === "suspended");
  });

  it("ends the run when nobody wants to spend more, and the session stays usable (C3)", async () => {
    const { id, suspensionId } = await spent();
    ok(await answer(id, suspensionId, "stop"));
    expect(transcript(await test.idle(id)).at(-1)).toBe("system Cancelled: the budget is used up");
    ok(
      await test.runtime.updateSession({
        sessionId: id,
        changes: { metadata: { budget: { tokens: 1_000 } } },
      }),
    );
    await test.send(id, script(say("again")));
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent again");
  });
});
