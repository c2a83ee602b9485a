import { rmSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Create } from "../../domain/kernel/command.ts";
import type { JsonObject } from "../../domain/json.ts";
import {
  FURTHER_CHECKS,
  RESUME_POLICY,
  type ResumeDecision,
  type ResumePolicy,
} from "../../domain/should-resume.ts";
import { COMPLETED, NOON } from "../../domain/testing/commands.ts";
import { ask, say, script, waitFor } from "../../providers/testing/script.ts";
import { beginSession, type SessionDriver } from "../../storage/testing/session-driver.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import { judgeResume, type ResumeProbes } from "./judge-resume.ts";
import { ok, TestRuntime } from "../testing/test-runtime.ts";

/** The value of each further check, and whether it passed. */
function furtherOf({ checks }: ResumeDecision): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    checks.slice(5).map(({ name, value, passed }) => [name, passed ? value : [value, "failed"]]),
  );
}

describe.each(["sqlite", "postgres"] as const)("whether to resume, judged on %s", (engine) => {
  let test: TestStore;
  beforeEach(async () => {
    test = await openTestStore(engine);
    await test.store.addRepo({ id: "repo-1", path: "/repo", name: "repo", createdAt: NOON });
  });
  afterEach(() => test.close());

  const begin = async (more: Partial<Create> = {}): Promise<SessionDriver> => {
    const session = await beginSession(test.store, { repoId: "repo-1", ...more });
    await session.perform({ type: "update", changes: {}, phase: "planning" });
    return session;
  };
  const judge = ({ id }: { id: string }, probes: ResumeProbes = {}): Promise<ResumeDecision> =>
    judgeResume(test.store, { sessionId: id, now: NOON, policy: RESUME_POLICY, probes });

  async function spent(session: SessionDriver, usage: JsonObject): Promise<void> {
    const { runId } = await session.run();
    await session.perform({ type: "end-run", runId, result: COMPLETED, usage });
  }

  it("B3 knows without any probe what the store knows", async () => {
    expect(furtherOf(await judge(await begin()))).toEqual({
      workspace: "unknown",
      provider: "unknown",
      lease: "idle",
      budget: "none",
    });
    expect(furtherOf(await judge(await begin({ repoId: null })))).toMatchObject({
      workspace: "none",
    });
  });

  it("B3 asks the probes for the repository's folder and the session's provider", async () => {
    const asked: unknown[] = [];
    const probes: ResumeProbes = {
      workspace: async (folder) => {
        asked.push(folder);
        return folder !== "/repo";
      },
      provider: async (name) => {
        asked.push(name);
        return name === null ? "installed" : "not_installed";
      },
    };
    expect(furtherOf(await judge(await begin(), probes))).toMatchObject({
      workspace: ["missing", "failed"],
      provider: "installed",
    });
    const elsewhere = await begin({ repoId: null, provider: "gemini" });
    expect(furtherOf(await judge(elsewhere, probes))).toMatchObject({
      workspace: "none",
      provider: ["not_installed", "failed"],
    });
    expect(asked.map(String).toSorted()).toEqual(["/repo", "gemini", "null"]);
  });

  it("B3 takes a session for busy while a live node runs it, and not when that node is dead", async () => {
    const session = await begin();
    const lease = async () => furtherOf(await judge(session))["lease"];
    const sent = await session.run();
    expect(await lease()).toEqual(["running", "failed"]);
    await test.store.renewLease({ node: "node-1", ttlMs: 60_000 });
    await session.claim("node-1");
    expect(await lease()).toEqual(["running", "failed"]);
    await test.store.renewLease({ node: "node-1", ttlMs: -1 });
    expect(await lease()).toBe("cut_off");
    await test.store.renewLease({ node: "node-1", ttlMs: 60_000 });
    await session.suspend(sent);
    expect(await lease()).toBe("waiting");
    await session.perform({ type: "cancel", reason: "stop" });
    expect(await lease()).toBe("idle");
  });

  it("B3 adds up what its runs have used of its budget", async () => {
    const budget = { tokens: 100, cost: 1, currency: "EUR" };
    const session = await begin({ metadata: { budget } });
    const found = async () => (await judge(session)).checks.at(-1);
    const shown = { name: "budget", required: false, limit: "100 tokens, 1 EUR" };
    expect(await found()).toEqual({ ...shown, passed: true, value: "0 tokens, 0 EUR" });
    await spent(session, { totalTokens: 40, cost: { amount: 0.1, currency: "EUR" } });
    await spent(session, { inputTokens: 40, cost: { amount: 0.2, currency: "EUR" } });
    expect(await found()).toEqual({ ...shown, passed: true, value: "80 tokens, 0.3 EUR" });
    await spent(session, { cost: { amount: 0.7, currency: "EUR" } });
    expect(await found()).toEqual({ ...shown, passed: false, value: "80 tokens, 1 EUR" });
    const tokensOnly = await begin({ metadata: { budget: { tokens: 40 } } });
    await spent(tokensOnly, { totalTokens: 40, cost: { amount: 9, currency: "USD" } });
    expect((await judge(tokensOnly)).checks.at(-1)).toMatchObject({
      passed: false,
      value: "40 tokens",
      limit: "40 tokens",
    });
  });
});

describe("whether to resume, asked of a runtime", () => {
  let test: TestRuntime;
  beforeEach(async () => {
    test = await TestRuntime.open({
      agents: [{}, { name: "absent", definition: { command: ["no-such-program-here"] } }],
    });
  });
  afterEach(() => test.close());

  const require = FURTHER_CHECKS;
  async function planning(...args: Parameters<TestRuntime["createSession"]>): Promise<string> {
    const sessionId = await test.createSession(...args);
    ok(await test.runtime.updateSession({ sessionId, changes: {}, phase: "planning" }));
    return sessionId;
  }

  it("B3 looks at the folder and the provider, and starts nothing", async () => {
    const id = await planning();
    expect(await test.runtime.shouldResume(id, { require })).toMatchObject({
      shouldResume: true,
      reason: "session_resumable",
    });
    expect(furtherOf(await test.runtime.shouldResume(id))).toEqual({
      workspace: "there",
      provider: "installed",
      lease: "idle",
      budget: "none",
    });
    const absent = await planning();
    ok(await test.runtime.updateSession({ sessionId: absent, changes: { provider: "absent" } }));
    expect(await test.runtime.shouldResume(absent, { require })).toMatchObject({
      shouldResume: false,
      reason: "provider_missing",
    });
    rmSync(path.join(test.repoPath, ".git"), { recursive: true });
    expect((await test.runtime.shouldResume(id, { require })).reason).toBe("workspace_missing");
    rmSync(test.repoPath, { recursive: true });
    expect((await test.runtime.shouldResume(id, { require })).reason).toBe("workspace_missing");
    expect((await test.runtime.shouldResume(id)).reason).toBe("session_resumable");
    expect(await test.processes()).toEqual([]);
  });

  it("B3 is busy while its agent works, and not while that waits for a person", async () => {
    const id = await planning();
    const go = path.join(test.folder, "go");
    await test.send(id, script(say("working"), waitFor(go)));
    await test.until(id, ({ messages }) => messages.length >= 2);
    const { reason } = await test.runtime.shouldResume(id, { require });
    expect(reason).toBe("session_busy");
    ok(await test.runtime.cancel({ sessionId: id, reason: "enough" }));
    await test.send(id, script(ask({ id: "t1", title: "Run it", kind: "execute" })));
    await test.until(id, ({ session }) => session.state === "suspended");
    expect(furtherOf(await test.runtime.shouldResume(id, { require }))).toMatchObject({
      lease: "waiting",
    });
  });

  it("B3 follows what is asked before what is set, and that before what is usual", async () => {
    await test.close();
    test = await TestRuntime.open({
      resumePolicy: { inactiveMs: 60_000, maxErrors: 2, require: ["budget"] },
    });
    const id = await planning({ metadata: { budget: { tokens: 1 } } });
    const found = async (policy?: Partial<ResumePolicy>) => {
      const { reason, checks } = await test.runtime.shouldResume(id, policy);
      const required = checks.filter((check) => check.required).map(({ name }) => name);
      return {
        reason,
        limits: checks.slice(3, 5).map(({ limit }) => limit),
        also: required.slice(5),
      };
    };
    const fine = "session_resumable";
    expect(await found()).toEqual({ reason: fine, limits: [60_000, 2], also: ["budget"] });
    expect(await found({ require: [] })).toEqual({ reason: fine, limits: [60_000, 2], also: [] });
    ok(await test.runtime.updateSession({ sessionId: id, changes: {}, error: "broken" }));
    expect(await found({ maxErrors: 1 })).toEqual({
      reason: "too_many_errors",
      limits: [60_000, 1],
      also: ["budget"],
    });
    expect(await found({ inactiveMs: 0 })).toMatchObject({ reason: "inactive_too_long" });
  });
});
