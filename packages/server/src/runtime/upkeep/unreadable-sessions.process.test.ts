import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DAY_MS, NOON } from "../../domain/testing/commands.ts";
import { say, script, waitFor } from "../../providers/testing/script.ts";
import type { DatabaseLocation } from "../../storage/open-store.ts";
import type { MessageFormat } from "../../storage/store.ts";
import { loosen, openRaw } from "../../storage/testing/raw-database.ts";
import { idsOf, TestRetention } from "../testing/test-retention.ts";
import { ok, TestRuntime } from "../testing/test-runtime.ts";

const JSON_OF_IDS: MessageFormat = {
  separator: ",",
  properties: { id: "id" },
  of: ({ id }) => ({ id }),
};
const SPOILT_METADATA = `update "AgentSession" set "metadata" = '{oops' where "id" = `;

async function spoil(location: DatabaseLocation, ...statements: readonly string[]): Promise<void> {
  const raw = await openRaw(location);
  await loosen(location, raw);
  for (const statement of statements) await raw.run(statement);
  await raw.close();
}

describe.each(["sqlite", "postgres"] as const)("a session on %s that cannot be read", (engine) => {
  let test: TestRuntime;
  beforeEach(async () => {
    test = await TestRuntime.open({ engine });
  });
  afterEach(() => test.close());

  const spoiled = async (title = "spoilt"): Promise<string> => {
    const id = await test.createSession({ title });
    await spoil(test.location, `${SPOILT_METADATA}'${id}'`);
    return id;
  };

  it("B5: says so with the column and what is wrong, to whoever asks for it", async () => {
    const id = await spoiled();
    const fault = {
      name: "StorageFault",
      code: "row_unreadable",
      message: `Session ${id} cannot be read: metadata is not JSON.`,
    };
    await expect(test.runtime.readWholeSession(id)).rejects.toMatchObject(fault);
    const messages = test.runtime.readMessages({ sessionId: id, limit: 10, format: JSON_OF_IDS });
    await expect(messages).rejects.toMatchObject(fault);
    await expect(test.send(id, "hello")).rejects.toMatchObject(fault);
    expect(await test.runtime.shouldResume(id, {})).toMatchObject({ shouldResume: false });
  });

  it("B5: is shown as it is stored, as one that can be read is", async () => {
    const [sound, id] = [await test.createSession({ title: "sound" }), await spoiled()];
    expect(ok(await test.runtime.readRaw(id)).raw).toMatchObject({
      row: { id, title: "spoilt", metadata: "{oops", status: "active", version: 1 },
      reason: "metadata is not JSON",
      parts: [],
    });
    expect(ok(await test.runtime.readRaw(sound)).raw).toMatchObject({
      row: { id: sound, title: "sound", metadata: "{}" },
      reason: null,
      parts: [],
    });
    expect(await test.runtime.readRaw("none")).toMatchObject({
      ok: false,
      refusal: { code: "session_not_found" },
    });
  });

  it("C8, B5: is deleted, with what is known of it in the reply, and nothing of it is left", async () => {
    const id = await spoiled();
    await test.runtime.listSessions({ statuses: ["active"], limit: 10 });
    expect(await test.store.health()).toMatchObject({ setAside: 1 });
    expect(ok(await test.runtime.deleteSession({ sessionId: id })).session).toMatchObject({
      id,
      title: "spoilt",
      status: "active",
      state: "idle",
      metadata: {},
      failure: "The session cannot be read: metadata is not JSON.",
    });
    expect(await test.runtime.readWholeSession(id)).toMatchObject({
      refusal: { code: "session_not_found" },
    });
    expect(await test.runtime.deleteSession({ sessionId: id })).toMatchObject({
      refusal: { code: "session_not_found" },
    });
    expect(await test.store.health()).toMatchObject({ setAside: 0 });
    expect(await test.store.unreadableSessions({ limit: 10 })).toEqual({ total: 0, sessions: [] });
  });

  it("C8: is deleted while its agent works, which ends, and whoever watches is told", async () => {
    const id = await test.createSession();
    const gate = path.join(test.folder, "go");
    await test.send(id, script(say("working"), waitFor(gate)));
    await test.until(id, ({ messages }) => messages.length === 2);
    expect(await test.processes()).toHaveLength(1);
    const { promise: ended, resolve } = Promise.withResolvers<unknown>();
    ok(
      await test.runtime.openFeed({ sessionId: id, after: 0, onItem: () => true, onEnd: resolve }),
    );
    await spoil(
      test.location,
      `update "AgentSession" set "status" = 'lost', "phaseHistory" = '7' where "id" = '${id}'`,
    );
    expect(ok(await test.runtime.deleteSession({ sessionId: id })).session).toMatchObject({
      id,
      status: "error",
      state: "idle",
      phaseHistory: [],
    });
    await test.untilNoProcess();
    await ended;
    writeFileSync(gate, "");
  });

  it("C8: is deleted only as it was read, where the request says so", async () => {
    const id = await spoiled();
    expect(await test.runtime.deleteSession({ sessionId: id, version: 7 })).toMatchObject({
      refusal: { code: "version_mismatch" },
    });
    ok(await test.runtime.deleteSession({ sessionId: id, version: 1 }));
  });

  it("B5: stops no list and no search", async () => {
    const id = await spoiled("a zebra");
    const times = await test.createSession();
    const phase = await test.createSession();
    await spoil(
      test.location,
      `update "AgentSession" set "createdAt" = 9000000000000000 where "id" = '${times}'`,
      `update "AgentSession" set "phase" = 'dreaming' where "id" = '${phase}'`,
    );
    const sound = await test.createSession({ title: "a zebra" });
    const { sessions, total } = await test.runtime.listSessions({
      statuses: ["active"],
      limit: 10,
    });
    expect({ ids: sessions.map((session) => session.id), total }).toEqual({
      ids: [sound],
      total: 1,
    });
    const found = await test.runtime.listSessions({
      statuses: ["active"],
      search: "zebra",
      limit: 10,
    });
    expect(found.sessions.map((session) => session.id)).toEqual([sound]);
    const { total: unreadable, sessions: known } = await test.store.unreadableSessions({
      limit: 2,
    });
    expect(unreadable).toBe(3);
    expect(known).toHaveLength(2);
    expect(known).toContainEqual({ id, reason: "metadata is not JSON" });
  });

  it("B5: stops no statistics", async () => {
    const [phase, history, times, sound] = [
      await test.createSession(),
      await test.createSession(),
      await test.createSession(),
      await test.createSession(),
    ];
    for (const sessionId of [phase, history, times, sound])
      ok(await test.runtime.finalize({ sessionId, outcome: "completed", summary: null }));
    expect(await test.runtime.stats({})).toMatchObject({ sessions: 4 });
    await spoil(
      test.location,
      `update "AgentSession" set "phase" = 'dreaming' where "id" = '${phase}'`,
      `update "AgentSession" set "phaseHistory" = '{oops' where "id" = '${history}'`,
      `update "AgentSession" set "createdAt" = 9000000000000000 where "id" = '${times}'`,
    );
    expect(await test.runtime.stats({})).toMatchObject({ sessions: 2 });
    await test.runtime.listSessions({ statuses: ["active"], limit: 10 });
    expect(await test.runtime.stats({})).toMatchObject({ sessions: 1 });
  });

  it("B5, A8: stops no recovery and no stop of the server: the others are suspended and taken up", async () => {
    const id = await test.createSession();
    await test.send(id, script(say("working"), waitFor(path.join(test.folder, "never"))));
    await test.until(id, ({ messages }) => messages.length === 2);
    const rested = await test.createSession();
    const others = [await test.createSession(), await test.createSession()];
    // Its row can be read and listed; the run it is busy with cannot.
    await spoil(
      test.location,
      `update "Run" set "continuity" = 'perhaps' where "sessionId" = '${id}'`,
    );
    await spoil(test.location, `${SPOILT_METADATA}'${rested}'`);
    await test.restartAfterCrash();
    // Until the lease of the server that crashed is over, the other sessions are not ours alone.
    await vi.waitUntil(async () => (await test.runtime.listNodes()).length === 1, 60_000);
    await test.stop();
    for (const other of others)
      expect(await test.store.readSession(other)).toMatchObject({
        record: { status: "suspended" },
      });
    await test.start();
    for (const other of others) {
      await test.send(other, script(say("here")));
      await test.idle(other);
    }
    await expect(test.runtime.readRaw(id)).resolves.toMatchObject({
      raw: { reason: expect.stringContaining("continuity"), parts: [{ table: "Run" }] },
    });
    ok(await test.runtime.deleteSession({ sessionId: id }));
  });

  it("B5: messages and runs that cannot be read are left out, and shown as they are stored", async () => {
    const id = await test.createSession();
    const sent = await test.send(id, script(say("one")));
    const { messages } = await test.idle(id);
    await spoil(
      test.location,
      `update "AgentMessage" set "content" = '{oops' where "id" = '${messages[1]?.id}'`,
      `update "Run" set "status" = 'lost' where "id" = '${sent.run.id}'`,
    );
    expect((await test.read(id)).messages.map((message) => message.id)).toEqual([messages[0]?.id]);
    expect(ok(await test.runtime.readRaw(id)).raw).toMatchObject({
      reason: null,
      parts: [
        {
          table: "AgentMessage",
          id: messages[1]?.id,
          reason: "content is not JSON",
          row: { content: "{oops" },
        },
        { table: "Run", id: sent.run.id, reason: `status is "lost"`, row: { status: "lost" } },
      ],
      partCount: 2,
    });
    ok(await test.runtime.deleteSession({ sessionId: id }));
    expect(await test.store.health()).toMatchObject({ setAside: 0 });
  });
});

describe.each(["sqlite", "postgres"] as const)("retention on %s", (engine) => {
  it("B5, A13: goes on past sessions that cannot be read, however many there are, and keeps them", async () => {
    const test = await TestRetention.open(engine);
    try {
      const first = await test.failed();
      const ids = await Promise.all(
        Array.from({ length: 120 }, async () => (await test.failed()).id),
      );
      const last = await test.failed();
      await spoil(
        test.location,
        `update "AgentSession" set "createdAt" = ${NOON - 2} where "id" = '${first.id}'`,
        `update "AgentSession" set "createdAt" = ${NOON + 5} where "id" = '${last.id}'`,
        `update "AgentSession" set "metadata" = '{oops' where "id" in (${ids.map((id) => `'${id}'`).join(", ")})`,
      );
      test.now = NOON + 2 * DAY_MS;
      await test.runOnce();
      expect(await test.left()).toEqual(idsOf([]));
      expect((await test.store.unreadableSessions({ limit: 1 })).total).toBe(120);
    } finally {
      await test.close();
    }
  });
});
