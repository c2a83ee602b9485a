import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Command } from "../domain/kernel/command.ts";
import { RESUME_POLICY } from "../domain/should-resume.ts";
import { create, HANDED, NOON, send } from "../domain/testing/commands.ts";
import { NEWEST_MIGRATION } from "../storage/migrations/testing/migration-names.ts";
import type { StoredSession } from "../storage/store.ts";
import { openTestStore, type TestStore } from "../storage/testing/test-database.ts";
import { executeCommand, type Executed } from "./execute-command.ts";
import { judgeResume } from "./requests/judge-resume.ts";
import { readiness } from "./upkeep/readiness.ts";

type UpdateChanges = Extract<Command, { type: "update" }>["changes"];
const CONTENTS = { m1: { type: "text", text: "one" }, m2: { type: "text", text: "two" } };

describe.each(["sqlite", "postgres"] as const)("commands on %s", (engine) => {
  let test: TestStore;
  beforeEach(async () => {
    test = await openTestStore(engine);
    await test.store.addRepo({ id: "repo-1", path: "/repo", name: "repo", createdAt: NOON });
  });
  afterEach(() => test.close());

  const execute = (command: Command, contents = {}): Promise<Executed> =>
    executeCommand(
      { store: test.store, newId: randomUUID },
      { sessionId: "session-1", command, extras: { contents } },
    );

  it("puts into the transcript why a run was cancelled, and leaves the session usable (C4)", async () => {
    await execute(create());
    await execute(send(1, { start: HANDED }), { m1: { type: "text", text: "hello" } });
    await execute({ type: "cancel", at: NOON + 2, reason: "wrong branch" });
    const messages = await test.store.readMessages({ sessionId: "session-1" });
    expect(messages.map(({ role, content, runId }) => ({ role, content, runId }))).toEqual([
      { role: "user", content: { type: "text", text: "hello", partial: false }, runId: "r1" },
      {
        role: "system",
        content: {
          type: "text",
          text: "Cancelled: wrong branch",
          notice: "run_cancelled",
          runId: "r1",
          partial: false,
        },
        runId: "r1",
      },
    ]);
    expect(
      await execute(send(2, { start: HANDED }), { m2: { type: "text", text: "again" } }),
    ).toMatchObject({
      ok: true,
    });
  });

  it("decides again when somebody was faster, so that racing commands all take effect once", async () => {
    await execute(create());
    const notes = Array.from({ length: 20 }, (_, index) => `key${index}`);
    const results = await Promise.all(
      notes.map((key) =>
        execute({ type: "update", at: NOON, changes: { metadata: { [key]: key } } }),
      ),
    );
    expect(results.every(({ ok }) => ok)).toBe(true);
    const read = await test.store.readSession("session-1");
    expect(read.found === "session" && Object.keys(read.record.metadata).toSorted()).toEqual(
      notes.toSorted(),
    );
  });

  it("refuses nothing, and leaves nothing out, because of a session that is known and has changed since (C1)", async () => {
    await execute(create());
    const stored = async (): Promise<StoredSession> => {
      const loaded = await test.store.load("session-1");
      if (loaded.found !== "session") throw new Error("there is no such session");
      return loaded.stored;
    };
    const executeKnowing = (known: StoredSession, command: Command, version?: number) =>
      executeCommand(
        { store: test.store, newId: randomUUID, known },
        { sessionId: "session-1", command, version, extras: { contents: CONTENTS } },
      );
    const update = (changes: UpdateChanges): Command => ({ type: "update", at: NOON + 3, changes });
    const open = await stored();
    await execute(update({ delivery: "reject" }));
    const rejecting = await stored();
    expect(await executeKnowing(rejecting, send(1))).toMatchObject({ ok: false });
    await execute(update({ delivery: "open" }));
    expect(await executeKnowing(rejecting, send(2))).toMatchObject({ ok: true });
    // Nothing is to be done on the session that is known.
    await execute(update({ title: "another" }));
    const nothing = update({ title: open.session.title });
    expect(await executeKnowing(open, nothing)).toMatchObject({ committed: { ok: true } });
    const { version } = await stored();
    expect(await executeKnowing(open, update({ title: "new" }), version)).toMatchObject({
      ok: true,
    });
    expect(await executeKnowing(await stored(), update({ title: "newer" }), version)).toMatchObject(
      {
        refused: "version_mismatch",
      },
    );
    expect((await stored()).session.title).toBe("new");
  });

  it("tells a node that lost the session nothing of what another has done: a run is handed by its owner (P2)", async () => {
    await execute(create());
    await execute(send(1, { start: { ...HANDED, handed: false } }), {
      m1: { type: "text", text: "hello" },
    });
    const claimed = async (node: string) => {
      await test.store.renewLease({ node, ttlMs: 60_000 });
      const claim = await test.store.claim({ sessionId: "session-1", node });
      if (!claim.ok) throw new Error("the session is another's");
      return { node, epoch: claim.epoch };
    };
    const hand = (fence: { readonly node: string; readonly epoch: number }): Promise<Executed> =>
      executeCommand(
        { store: test.store, newId: randomUUID },
        {
          sessionId: "session-1",
          command: { type: "hand-run", at: NOON + 1, runId: "r1" },
          extras: { fence },
        },
      );
    const first = await claimed("node-1");
    await test.store.dropLease("node-1");
    const second = await claimed("node-2");
    expect(await hand(first)).toEqual({ ok: false, refused: "fenced" });
    expect(await hand(second)).toMatchObject({ ok: true, events: [{ type: "run.handed" }] });
    expect(await hand(second)).toMatchObject({ ok: true, events: [] });
    expect(await hand(first)).toEqual({ ok: false, refused: "fenced" });
  });

  it("returns the kernel's refusal and writes nothing", async () => {
    const refused = await execute({ type: "archive", at: NOON });
    expect(refused).toMatchObject({ ok: false, refusal: { code: "session_not_found" } });
    expect(await test.store.load("session-1")).toEqual({ found: "nothing" });
  });

  it("judges from one stored row whether to resume, and always says why (B3)", async () => {
    await execute(create());
    const judge = (now: number) =>
      judgeResume(test.store, { sessionId: "session-1", now, policy: RESUME_POLICY });
    expect(await judge(NOON)).toMatchObject({ shouldResume: false, reason: "not_resume_ready" });
    await execute({ type: "update", at: NOON, changes: {}, phase: "planning" });
    expect(await judge(NOON + 60_000)).toMatchObject({
      shouldResume: true,
      reason: "session_resumable",
    });
    expect(await judge(NOON + 30 * 60_000)).toMatchObject({ reason: "inactive_too_long" });
    const missing = await judgeResume(test.store, {
      sessionId: "none",
      now: NOON,
      policy: RESUME_POLICY,
    });
    expect(missing).toMatchObject({ shouldResume: false, reason: "session_not_found" });
  });

  it("is ready when the database answers", async () => {
    await execute(create());
    expect(await readiness(test.store)).toEqual({
      ready: true,
      reason: null,
      database: { engine, schema: NEWEST_MIGRATION },
      sessions: { active: 1, suspended: 0, archived: 0, error: 0, badge: 1 },
      setAside: 0,
      damage: [],
    });
  });
});
