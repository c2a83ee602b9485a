import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Command, Create, Send } from "../domain/command.ts";
import { RESUME_LIMITS } from "../domain/should-resume.ts";
import { openTestStore, type TestStore } from "../storage/testing/test-database.ts";
import { executeCommand, type Executed } from "./execute-command.ts";
import { judgeResume } from "./judge-resume.ts";
import { readiness } from "./readiness.ts";

const NOW = 1_000_000;

describe.each(["sqlite", "postgres"] as const)("commands on %s", (engine) => {
  let test: TestStore;
  beforeEach(async () => {
    test = await openTestStore(engine);
    await test.store.addRepo({ id: "repo", path: "/repo", name: "repo", createdAt: NOW });
  });
  afterEach(() => test.close());

  const create: Create = {
    type: "create",
    at: NOW,
    id: "s",
    repoId: "repo",
    title: null,
    provider: null,
    model: null,
    agentName: null,
    purpose: null,
    metadata: {},
    forkedFrom: null,
  };
  const send = (messageId: string): Send => ({
    type: "send",
    at: NOW + 1,
    messageId,
    runId: `run-${messageId}`,
    provider: null,
    model: null,
    continuity: "auto",
    delivery: "queue",
    maxQueued: 100,
    start: { provider: "demo", model: null, handed: true },
  });
  const execute = (command: Command, contents = {}): Promise<Executed> =>
    executeCommand(
      { store: test.store, newId: randomUUID },
      { sessionId: "s", command, extras: { contents } },
    );

  it("puts into the transcript why a run was cancelled, and leaves the session usable (C4)", async () => {
    await execute(create);
    await execute(send("m1"), { m1: { type: "text", text: "hello" } });
    await execute({ type: "cancel", at: NOW + 2, reason: "wrong branch" });
    const messages = await test.store.readMessages({ sessionId: "s" });
    expect(messages.map(({ role, content, runId }) => ({ role, content, runId }))).toEqual([
      { role: "user", content: { type: "text", text: "hello" }, runId: "run-m1" },
      {
        role: "system",
        content: {
          type: "text",
          text: "Cancelled: wrong branch",
          notice: "run_cancelled",
          runId: "run-m1",
        },
        runId: "run-m1",
      },
    ]);
    expect(await execute(send("m2"), { m2: { type: "text", text: "again" } })).toMatchObject({
      ok: true,
    });
  });

  it("decides again when somebody was faster, so that racing commands all take effect once", async () => {
    await execute(create);
    const notes = Array.from({ length: 20 }, (_, index) => `key${index}`);
    const results = await Promise.all(
      notes.map((key) =>
        execute({ type: "update", at: NOW, changes: { metadata: { [key]: key } } }),
      ),
    );
    expect(results.every(({ ok }) => ok)).toBe(true);
    const read = await test.store.readSession("s");
    expect(read.found === "session" && Object.keys(read.record.metadata).toSorted()).toEqual(
      notes.toSorted(),
    );
  });

  it("returns the kernel's refusal and writes nothing", async () => {
    const refused = await execute({ type: "archive", at: NOW });
    expect(refused).toMatchObject({ ok: false, refusal: { code: "session_not_found" } });
    expect(await test.store.load("s")).toEqual({ found: "nothing" });
  });

  it("judges from one stored row whether to resume, and always says why (B3)", async () => {
    await execute(create);
    const judge = (now: number) =>
      judgeResume(test.store, { sessionId: "s", now, limits: RESUME_LIMITS });
    expect(await judge(NOW)).toMatchObject({ shouldResume: false, reason: "not_resume_ready" });
    await execute({ type: "update", at: NOW, changes: {}, phase: "planning" });
    expect(await judge(NOW + 60_000)).toMatchObject({
      shouldResume: true,
      reason: "session_resumable",
    });
    expect(await judge(NOW + 30 * 60_000)).toMatchObject({ reason: "inactive_too_long" });
    const missing = await judgeResume(test.store, {
      sessionId: "none",
      now: NOW,
      limits: RESUME_LIMITS,
    });
    expect(missing).toMatchObject({ shouldResume: false, reason: "session_not_found" });
  });

  it("is ready when the database answers", async () => {
    await execute(create);
    expect(await readiness(test.store)).toEqual({
      ready: true,
      reason: null,
      database: { engine, schema: "0003-search" },
      sessions: { active: 1, suspended: 0, archived: 0, error: 0, badge: 1 },
      setAside: 0,
    });
  });
});
