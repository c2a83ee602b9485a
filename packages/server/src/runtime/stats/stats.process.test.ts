import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Create } from "../../domain/kernel/command.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { Phase } from "../../domain/phase.ts";
import type { RunResult } from "../../domain/run.ts";
import { COMPLETED, FAILED, NOON } from "../../domain/testing/commands.ts";
import { beginSession, type SessionDriver } from "../../storage/testing/session-driver.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import { readStats, type Stats } from "./stats.ts";
import type { StatsGroup } from "./stats-groups.ts";
import type { StatsBucket } from "./stats-over-time.ts";

describe.each(["sqlite", "postgres"] as const)("statistics on %s", (engine) => {
  let test: TestStore;
  beforeEach(async () => {
    test = await openTestStore(engine);
    await test.store.addRepo({ id: "repo-1", path: "/repo", name: "repo", createdAt: NOON });
  });
  afterEach(() => test.close());

  const begin = (more: Partial<Create> = {}): Promise<SessionDriver> =>
    beginSession(test.store, { repoId: "repo-1", ...more });

  async function ran(
    session: SessionDriver,
    {
      result = COMPLETED,
      provider = "demo",
      seconds = 1,
      usage = null,
    }: { result?: RunResult; provider?: string; seconds?: number; usage?: JsonObject | null } = {},
  ): Promise<void> {
    const { runId } = await session.send("Go on.", {
      start: { provider, model: null, handed: true },
    });
    // The driver's clock goes on by a second with each command.
    for (let n = 1; n < seconds; n += 1) {
      await session.perform({ type: "update", changes: { title: `${session.now}` } });
    }
    await session.perform({ type: "end-run", runId, result, usage });
  }

  /** An hour and a half later. */
  const now = NOON + 90 * 60_000;
  const stats = (range: { from?: number; to?: number } = {}): Promise<Stats> =>
    readStats(test.store, { ...range, now });

  const NONE: StatsGroup = {
    name: null,
    sessions: 0,
    runs: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
    interrupted: 0,
    successRate: null,
    errors: 0,
    durationMs: null,
    inputTokens: 0,
    outputTokens: 0,
    cost: {},
  };

  const BUCKET: StatsBucket = {
    start: NOON,
    sessions: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
    interrupted: 0,
    successRate: null,
    resumeRate: null,
    inputTokens: 0,
    outputTokens: 0,
    cost: {},
  };
  const HOUR_MS = 60 * 60_000;

  it("B7 of nothing are nothing, and no rate is made up", async () => {
    expect(await stats()).toEqual({
      sessions: 0,
      resumeRate: null,
      successRate: null,
      total: NONE,
      byAgent: [],
      byProvider: [],
      byPhase: [],
      overTime: { bucketMs: 24 * HOUR_MS, buckets: [] },
    });
  });

  it("B7 are given by agent and by provider: how runs ended, how long they took, what they used", async () => {
    const ada = await begin({ agentName: "ada" });
    const usage = { inputTokens: 100, outputTokens: 10, cost: { amount: 0.1, currency: "USD" } };
    await ran(ada, { seconds: 1, usage });
    await ran(ada, { seconds: 2, usage: { ...usage, cost: { amount: 0.2, currency: "USD" } } });
    await ran(ada, { seconds: 6, provider: "other", result: FAILED });
    const bob = await begin({ agentName: "bob" });
    await ran(bob, { seconds: 3, usage: { inputTokens: 1, cost: { amount: 7, currency: "EUR" } } });
    await ran(bob, { seconds: 1, result: { outcome: "cancelled", reason: "stop" } });
    await begin();

    const used = { inputTokens: 201, outputTokens: 20, cost: { USD: 0.3, EUR: 7 } };
    expect(await stats()).toEqual({
      sessions: 3,
      resumeRate: null,
      successRate: 3 / 5,
      total: {
        ...NONE,
        ...used,
        sessions: 3,
        runs: 5,
        completed: 3,
        failed: 1,
        cancelled: 1,
        successRate: 3 / 5,
        errors: 1,
        durationMs: { median: 2000, mean: 2600, total: 13_000 },
      },
      byAgent: [
        {
          ...NONE,
          name: "ada",
          sessions: 1,
          runs: 3,
          completed: 2,
          failed: 1,
          successRate: 2 / 3,
          errors: 1,
          durationMs: { median: 2000, mean: 3000, total: 9000 },
          inputTokens: 200,
          outputTokens: 20,
          cost: { USD: 0.3 },
        },
        {
          ...NONE,
          name: "bob",
          sessions: 1,
          runs: 2,
          completed: 1,
          cancelled: 1,
          successRate: 1 / 2,
          durationMs: { median: 2000, mean: 2000, total: 4000 },
          inputTokens: 1,
          cost: { EUR: 7 },
        },
        { ...NONE, sessions: 1 },
      ],
      byProvider: [
        {
          ...NONE,
          name: "demo",
          sessions: 2,
          runs: 4,
          completed: 3,
          cancelled: 1,
          successRate: 3 / 4,
          errors: 1,
          durationMs: { median: 1500, mean: 1750, total: 7000 },
          ...used,
        },
        {
          ...NONE,
          name: "other",
          sessions: 1,
          runs: 1,
          failed: 1,
          successRate: 0,
          errors: 1,
          durationMs: { median: 6000, mean: 6000, total: 6000 },
        },
      ],
      byPhase: [
        {
          phase: "initializing",
          sessions: 3,
          durationMs: { median: 1.5 * HOUR_MS, mean: 1.5 * HOUR_MS, total: 4.5 * HOUR_MS },
          errors: 1,
        },
      ],
      overTime: {
        bucketMs: HOUR_MS,
        buckets: [
          {
            ...BUCKET,
            ...used,
            sessions: 3,
            completed: 3,
            failed: 1,
            cancelled: 1,
            successRate: 3 / 5,
          },
          { ...BUCKET, start: NOON + HOUR_MS },
        ],
      },
    });
  });

  it("B7 count a session that only tracks somebody else's agent as one run, once it is finalized", async () => {
    const [done, given, open] = [
      await begin({ repoId: null, agentName: "ada" }),
      await begin({ repoId: null, agentName: "ada" }),
      await begin({ repoId: null, agentName: "ada" }),
    ];
    await done.perform({ type: "update", changes: {}, phase: "executing" });
    await done.perform({ type: "finalize", outcome: "completed", summary: null });
    await given.perform({ type: "finalize", outcome: "abandoned", summary: null });
    await open.perform({ type: "update", changes: {}, phase: "executing" });
    const group = {
      ...NONE,
      sessions: 3,
      runs: 2,
      completed: 1,
      cancelled: 1,
      successRate: 1 / 2,
      durationMs: { median: 1500, mean: 1500, total: 3000 },
    };
    const { overTime, byPhase: _, ...rest } = await stats();
    expect(rest).toEqual({
      sessions: 3,
      resumeRate: null,
      successRate: 1 / 2,
      total: group,
      byAgent: [{ ...group, name: "ada" }],
      byProvider: [],
    });
    expect(overTime.buckets[0]).toEqual({
      ...BUCKET,
      sessions: 3,
      completed: 1,
      cancelled: 1,
      successRate: 1 / 2,
    });
  });

  it("B7 do not count a session as a run that had runs, when it is finalized later", async () => {
    const session = await begin();
    await ran(session); // ends at 2 s
    await session.perform({ type: "finalize", outcome: "completed", summary: null }); // at 3 s
    const { total } = await stats({ from: NOON + 3000 });
    expect([total.sessions, total.runs]).toEqual([1, 0]);
  });

  it("B7 take it for cut off when somebody else's agent stops for an approval, and for resumed when it goes on", async () => {
    const track = async (...phases: readonly Phase[]): Promise<void> => {
      const session = await begin({ repoId: null });
      for (const phase of phases) await session.perform({ type: "update", changes: {}, phase });
    };
    await track("planning", "executing");
    expect((await stats()).resumeRate).toBeNull();
    await track("planning", "approval");
    expect((await stats()).resumeRate).toBe(0);
    await track("approval", "executing", "completed");
    expect((await stats()).resumeRate).toBe(1 / 2);
    await track("approval", "completed");
    expect((await stats()).resumeRate).toBe(2 / 3);
    await track("approval", "abandoned");
    await track("approval", "executing", "approval", "failed");
    expect((await stats()).resumeRate).toBe(2 / 5);
    const [first, second] = (await stats({ from: NOON, to: NOON + 2000 })).overTime.buckets;
    expect([first?.resumeRate, second]).toEqual([3 / 4, undefined]);
  });

  it("B7 leave approvals out of the rate where runs tell", async () => {
    const session = await begin();
    await ran(session);
    await session.perform({ type: "update", changes: {}, phase: "approval" });
    expect((await stats()).resumeRate).toBeNull();
  });

  it("B7 say how long sessions were in each phase, and what went wrong in it", async () => {
    const [first, second] = [await begin(), await begin({ repoId: null })];
    const to = (session: SessionDriver, phase: Phase) =>
      session.perform({ type: "update", changes: {}, phase });
    await to(first, "planning"); // at 1 s
    await first.perform({ type: "update", changes: {}, error: { id: "a", text: "broken" } });
    await to(first, "executing"); // at 3 s
    await ran(first, { result: FAILED }); // at 5 s
    await to(first, "planning"); // at 6 s
    await to(first, "executing"); // at 7 s
    await first.perform({ type: "archive" }); // at 8 s
    await to(second, "planning"); // at 1 s
    await second.perform({ type: "finalize", outcome: "failed", summary: null }); // at 2 s
    const lasting = (...lengths: readonly [number, number, number]) => {
      const [median, mean, total] = lengths.map((seconds) => seconds * 1000);
      return { median, mean, total };
    };
    expect((await stats()).byPhase).toEqual([
      { phase: "initializing", sessions: 2, durationMs: lasting(1, 1, 2), errors: 0 },
      { phase: "planning", sessions: 2, durationMs: lasting(2, 2, 4), errors: 1 },
      { phase: "executing", sessions: 1, durationMs: lasting(4, 4, 4), errors: 1 },
      { phase: "failed", sessions: 1, durationMs: null, errors: 0 },
    ]);
    expect((await stats({ from: NOON + 2000, to: NOON + 5000 })).byPhase).toEqual([
      { phase: "planning", sessions: 2, durationMs: lasting(1.5, 1.5, 3), errors: 1 },
      { phase: "executing", sessions: 1, durationMs: null, errors: 0 },
      { phase: "failed", sessions: 1, durationMs: null, errors: 0 },
    ]);
  });

  it("B7 give the rate of sessions that went on after their run was cut", async () => {
    const [on, off, never] = [await begin(), await begin(), await begin()];
    for (const session of [on, off]) {
      await session.run();
      await session.perform({ type: "suspend", cause: "crash" });
    }
    await ran(never);
    expect((await stats()).resumeRate).toBe(0);
    await ran(on);
    expect((await stats()).resumeRate).toBe(1 / 2);
    await on.run();
    await on.perform({ type: "suspend", cause: "crash" });
    expect((await stats()).resumeRate).toBe(0);
  });

  it("B7 are of the range asked for", async () => {
    const session = await begin();
    await ran(session); // ends at 2 s
    await ran(session); // ends at 4 s
    const runs = async (from: number, to: number) =>
      (await stats({ from: NOON + from * 1000, to: NOON + to * 1000 })).byProvider[0]?.runs ?? 0;
    expect(await runs(0, 10)).toBe(2);
    expect(await runs(3, 10)).toBe(1);
    expect(await runs(0, 4)).toBe(1);
    expect(await runs(5, 10)).toBe(0);
  });

  it("take usage as agents report it, and leave out what is no amount", async () => {
    const session = await begin();
    for (const usage of [
      { inputTokens: "many", outputTokens: -5, cost: 3 },
      { inputTokens: 2, cost: { amount: null, currency: "USD" } },
      { cost: { amount: 1 } },
      {},
    ])
      await ran(session, { usage });
    const [group] = (await stats()).byAgent;
    expect(group).toMatchObject({ inputTokens: 2, outputTokens: 0, cost: { USD: 0 } });
  });

  it("are of all sessions, however many pages there are", async () => {
    for (let made = 0; made < 250; made += 1) await begin();
    await ran(await begin());
    expect(await stats()).toMatchObject({ sessions: 251, successRate: 1 });
  });
});
