import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestRuntime } from "../testing/test-runtime.ts";

let test: TestRuntime;

beforeEach(async () => {
  test = await TestRuntime.open({ agents: [{ name: "usual" }, { name: "other" }] });
});
afterEach(() => test.close());

describe("a list of sessions by provider", () => {
  it("has those whose messages go to it: without a preference, that is the default", async () => {
    const none = await test.createSession();
    const usual = await test.createSession({ provider: "usual" });
    const other = await test.createSession({ provider: "other" });
    const by = async (provider: string) => {
      const { sessions } = await test.runtime.listSessions({ provider, limit: 10 });
      return sessions.map(({ id }) => id).toSorted();
    };
    expect(await by("usual")).toEqual([none, usual].toSorted());
    expect(await by("other")).toEqual([other]);
    expect(await by("nobody")).toEqual([]);
  });
});

describe("equal creates at the same time, under one idempotency key", () => {
  const TIMES = 12;
  const idempotency = { key: "same", requestHash: "h1" };
  const message = { type: "text", text: "@silent" };

  async function createAtOnce(
    nodes: readonly TestRuntime[],
    more: Parameters<TestRuntime["newSession"]>[0] = {},
  ) {
    const replies = await Promise.all(
      Array.from({ length: TIMES }, (_, index) => {
        const node = nodes[index % nodes.length] ?? test;
        return node.runtime.createSession(node.newSession({ idempotency, ...more }));
      }),
    );
    return new Set(replies.map((reply) => (reply.ok ? reply.session.id : reply.refusal.code)));
  }

  it.each(["sqlite", "postgres"] as const)(
    "get one session and one answer on %s, whichever of two nodes they reach",
    async (engine) => {
      await test.close();
      test = await TestRuntime.open({ engine });
      const other = engine === "postgres" ? await test.addNode() : null;
      const nodes = other === null ? [test] : [test, other];
      try {
        const answers = await createAtOnce(nodes, { agentId: "agent-1" });
        expect(answers.size).toBe(1);
        const { sessions } = await test.runtime.listSessions({ limit: 10 });
        expect(new Set(sessions.map(({ id }) => id))).toEqual(answers);
      } finally {
        await other?.close();
      }
    },
  );

  it("get one answer when the first takes the last agent", async () => {
    await test.restartWith({ limits: { liveAgents: 1 } });
    const first = await createAtOnce([test], { message });
    expect(first.size).toBe(1);
    await test.until([...first][0] ?? "", ({ session }) => session.state === "running");
    expect(await createAtOnce([test], { message })).toEqual(first);
    const others = { key: "another", requestHash: "h2" };
    expect(await createAtOnce([test], { message, idempotency: others })).toEqual(
      new Set(["agents_busy"]),
    );
    expect((await test.runtime.createSession(test.newSession())).ok).toBe(true);
  });
});

describe("equal messages at the same time, under one idempotency key", () => {
  it("get one answer, even if the first makes the session busy", async () => {
    const sessionId = await test.createSession();
    const request = test.message(sessionId, "@silent", {
      delivery: "reject",
      idempotency: { key: "same", requestHash: "h1" },
    });
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => test.runtime.sendMessage(request)),
    );
    const answers = replies.map((reply) => (reply.ok ? reply.sent.messageId : reply.refusal.code));
    expect(new Set(answers).size).toBe(1);
    expect(replies.every(({ ok }) => ok)).toBe(true);
  });
});
