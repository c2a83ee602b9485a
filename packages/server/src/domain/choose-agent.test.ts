import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseAgent, nextAgent, type AgentHistory, type AgentWish } from "./choose-agent.ts";

const NONE: AgentWish = { provider: null, model: null };

describe("C2, ruling 18: a run uses the choice of its message, else the session's preference, else that of the last run, else the default", () => {
  it.each<{
    readonly why: string;
    readonly wish?: Partial<AgentWish>;
    readonly session?: Partial<AgentHistory>;
    readonly gives: readonly [provider: string, model: string | null];
  }>([
    { why: "nothing was chosen", gives: ["default", null] },
    {
      why: "the message's choice comes first",
      wish: { provider: "a", model: "a1" },
      session: { provider: "b", model: "b1", lastRun: { provider: "c", model: "c1" } },
      gives: ["a", "a1"],
    },
    {
      why: "then the preference",
      session: { provider: "b", model: "b1", lastRun: { provider: "c", model: "c1" } },
      gives: ["b", "b1"],
    },
    {
      why: "then the last run, with its model",
      session: { lastRun: { provider: "c", model: "c1" } },
      gives: ["c", "c1"],
    },
    {
      why: "a model alone goes to the provider that is used anyway",
      wish: { model: "c2" },
      session: { lastRun: { provider: "c", model: "c1" } },
      gives: ["c", "c2"],
    },
    {
      why: "another provider takes over no model of the last run",
      wish: { provider: "a" },
      session: { lastRun: { provider: "c", model: "c1" } },
      gives: ["a", null],
    },
    {
      why: "another provider takes over no preferred model",
      wish: { provider: "a" },
      session: { provider: "b", model: "b1" },
      gives: ["a", null],
    },
    {
      why: "the provider of the last run, chosen again, keeps its model despite a preference",
      wish: { provider: "c" },
      session: { provider: "b", model: "b1", lastRun: { provider: "c", model: "c1" } },
      gives: ["c", "c1"],
    },
    {
      why: "the preferred provider without a preferred model keeps the model of its last run",
      session: { provider: "c", lastRun: { provider: "c", model: "c1" } },
      gives: ["c", "c1"],
    },
    {
      why: "the preferred provider takes over no model of another provider's run",
      session: { provider: "b", lastRun: { provider: "c", model: "c1" } },
      gives: ["b", null],
    },
    {
      why: "a preferred model without a provider goes with the default before the first run",
      session: { model: "x" },
      gives: ["default", "x"],
    },
    {
      why: "and with the provider of the last run after it",
      session: { model: "x", lastRun: { provider: "c", model: "c1" } },
      gives: ["c", "x"],
    },
    {
      why: "and not with another one that a message chooses",
      wish: { provider: "a" },
      session: { model: "x", lastRun: { provider: "c", model: "c1" } },
      gives: ["a", null],
    },
  ])("$why", ({ wish, session, gives: [provider, model] }) => {
    const chosen = chooseAgent(
      { ...NONE, ...wish },
      { session: { ...NONE, lastRun: null, ...session }, defaultProvider: "default" },
    );
    expect(chosen).toEqual({ provider, model });
  });

  const provider = fc.constantFrom("a", "b", "c");
  const model = fc.option(fc.constantFrom("x", "y", "z"));
  const wishes = fc.record({ provider: fc.option(provider), model });
  const sessions = fc.record({
    provider: fc.option(provider),
    model,
    lastRun: fc.option(fc.record({ provider, model })),
  });

  it("the next agent is known without the default", () => {
    fc.assert(
      fc.property(sessions, provider, (session, defaultProvider) => {
        const next = nextAgent(session);
        expect({ ...next, provider: next.provider ?? defaultProvider }).toEqual(
          chooseAgent(NONE, { session, defaultProvider }),
        );
      }),
    );
  });

  it("the server's default does not affect a session that has run", () => {
    fc.assert(
      fc.property(wishes, sessions, provider, provider, (wish, session, before, after) => {
        fc.pre(session.lastRun !== null);
        expect(chooseAgent(wish, { session, defaultProvider: after })).toEqual(
          chooseAgent(wish, { session, defaultProvider: before }),
        );
      }),
    );
  });

  it("a session without a preference continues with the provider and model of its last run", () => {
    fc.assert(
      fc.property(wishes, sessions, provider, (wish, { lastRun }, defaultProvider) => {
        const first = chooseAgent(wish, { session: { ...NONE, lastRun }, defaultProvider });
        const session = { ...NONE, lastRun: first };
        expect(chooseAgent(NONE, { session, defaultProvider })).toEqual(first);
      }),
    );
  });

  it("a message that chooses another provider does not get the session's model", () => {
    fc.assert(
      fc.property(wishes, sessions, (wish, session) => {
        const chosen = chooseAgent(wish, { session, defaultProvider: "default" });
        const usual = session.provider ?? session.lastRun?.provider ?? "default";
        if (chosen.provider === usual || chosen.provider === session.lastRun?.provider) return;
        expect(chosen.model).toBe(wish.model);
      }),
    );
  });
});
