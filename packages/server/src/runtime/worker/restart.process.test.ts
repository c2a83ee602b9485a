import { renameSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { calmMsOf } from "../../domain/testing/calm-clock.ts";
import { ask, child, ignore, say, script, waitFor } from "../../providers/testing/script.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";

let test: TestRuntime;
afterEach(() => test.close());

const never = (): ReturnType<typeof waitFor> => waitFor(path.join(test.folder, "never"));

async function working(): Promise<string> {
  const id = await test.createSession();
  await test.send(id, script(say("begun"), never()));
  await test.until(id, ({ messages }) => messages.length === 2);
  return id;
}

describe("a stop", () => {
  beforeEach(async () => {
    test = await TestRuntime.open();
  });

  it("suspends every active session, ends every agent, and is done in time (A8)", async () => {
    const quiet = await test.createSession();
    const archived = await test.createSession();
    ok(await test.runtime.archive({ sessionId: archived }));
    const busy = await working();
    await test.send(
      busy,
      script(ignore("cancel", "sigterm", "eof"), child({ how: "setsid", stubborn: true }), never()),
      { delivery: "interrupt" },
    );
    await test.until(busy, ({ messages }) => messages.length >= 5);
    const begun = Date.now();
    expect(await calmMsOf(test.stop())).toBeLessThan(10_000);
    expect(await test.processes()).toEqual([]);
    const stored = await test.store.listSessions({ limit: 10 });
    expect(stored.counts).toMatchObject({ active: 0, suspended: 2, archived: 1 });
    for (const session of stored.sessions) {
      if (session.id === archived) continue;
      expect(session.state).toBe("idle");
      expect(session.suspendedAt).toBeGreaterThanOrEqual(begun - 1);
      expect(session.lastActiveAt).toBeLessThanOrEqual(begun);
    }
    await test.start();
    expect(transcript(await test.read(busy)).at(-1)).toMatch(/^system Interrupted: .*shut down/u);
    expect((await test.read(quiet)).session.status).toBe("active");
  });

  it("ruling 14: is over at the next start: sessions are active and as old as they were", async () => {
    const id = await test.createSession();
    const before = (await test.read(id)).session;
    await test.stop();
    expect((await test.store.listSessions({ limit: 1 })).sessions).toMatchObject([
      { status: "suspended", suspendedReason: null, lastActiveAt: before.lastActiveAt },
    ]);
    await test.start();
    const { status, suspendedAt, lastActiveAt, updatedAt } = (await test.read(id)).session;
    expect({ status, suspendedAt, lastActiveAt, updatedAt }).toEqual({
      status: "active",
      suspendedAt: null,
      lastActiveAt: before.lastActiveAt,
      updatedAt: before.updatedAt,
    });
  });

  it("ruling 14: never touches a session without a repository", async () => {
    const { session } = await test.read(await test.createSession({ repoId: null }));
    await test.stop();
    const [stored] = (await test.store.listSessions({ limit: 1 })).sessions;
    expect(stored).toEqual(session);
    await test.start();
    expect((await test.read(session.id)).session).toEqual(session);
  });

  it("refuses what comes too late", async () => {
    const id = await test.createSession();
    const { runtime } = test;
    const stopping = test.stop();
    expect(await runtime.sendMessage(test.message(id, "hi"))).toMatchObject({
      refusal: { code: "server_stopping" },
    });
    await stopping;
    await test.start();
  });

  it("ruling 14: leaves a session suspended whose repository is gone, and says why; it goes on when that is back (A10)", async () => {
    const [a, b] = [await test.createSession(), await test.createSession()];
    await test.stop();
    const elsewhere = `${test.repoPath}-away`;
    renameSync(test.repoPath, elsewhere);
    await test.start();
    for (const id of [a, b]) {
      expect((await test.read(id)).session).toMatchObject({
        status: "suspended",
        suspendedReason: expect.stringContaining("Its repository cannot be used"),
        removeAt: expect.any(Number),
      });
    }
    renameSync(elsewhere, test.repoPath);
    await test.send(a, script(say("on we go")));
    const whole = await test.idle(a);
    expect([whole.session.status, transcript(whole).at(-1)]).toEqual(["active", "agent on we go"]);
    const { session } = ok(await test.runtime.resume({ sessionId: b }));
    expect(session).toMatchObject({ status: "active", suspendedReason: null, removeAt: null });
  });

  it("keeps the queue, and what was in it is delivered after the start (C6)", async () => {
    const id = await working();
    await test.send(id, script(say("queued")));
    await test.stop();
    await test.start();
    const whole = await test.idle(id);
    expect(transcript(whole).filter((line) => !line.startsWith("user"))).toEqual([
      "agent begun",
      expect.stringMatching(/^system Interrupted/u),
      expect.stringMatching(/^system A new agent/u),
      "agent queued",
    ]);
  });
});

describe.each(["sqlite", "postgres"] as const)("a crash, on %s", (engine) => {
  beforeEach(async () => {
    test = await TestRuntime.open({ engine });
  });

  it("leaves no run under way: it is interrupted, not repeated, and the session goes on (P2, P3)", async () => {
    const id = await working();
    await test.restartAfterCrash();
    const whole = await test.until(id, ({ session }) => session.state === "idle");
    expect(whole.session.status).toBe("active");
    expect(transcript(whole).slice(1)).toEqual([
      "agent begun",
      expect.stringMatching(/^system Interrupted: the server stopped unexpectedly/u),
    ]);
    await test.send(id, script(say("and on")));
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent and on");
  });

  it("keeps a question open; the answer goes on with the work (C3)", async () => {
    const id = await test.createSession();
    await test.send(id, script(ask({ id: "p", title: "May I?" }), say(" thanks")));
    const { session } = await test.until(id, (whole) => whole.session.state === "suspended");
    await test.restartAfterCrash();
    const suspensionId = session.suspensions[0]?.id ?? "";
    expect((await test.runtime.listSuspensions()).map((each) => each.id)).toEqual([suspensionId]);
    ok(await test.runtime.answer({ sessionId: id, suspensionId, answer: "allow", by: "ada" }));
    expect(transcript(await test.idle(id)).at(-2)).toContain(
      '"May I?". The user ALLOWED it (allow_once).',
    );
  });
});

describe("a crash on SQLite", () => {
  it("ruling 14: leaves sessions active that were merely open (A8)", async () => {
    test = await TestRuntime.open();
    const id = await test.createSession();
    const before = (await test.read(id)).session;
    await test.restartAfterCrash();
    expect((await test.read(id)).session).toEqual(before);
  });

  it("ruling 14: suspends a session whose repository is gone by then", async () => {
    test = await TestRuntime.open();
    const id = await test.createSession();
    renameSync(test.repoPath, `${test.repoPath}-away`);
    await test.restartAfterCrash();
    expect((await test.read(id)).session).toMatchObject({
      status: "suspended",
      suspendedReason: expect.stringContaining("Its repository cannot be used"),
    });
  });
});
