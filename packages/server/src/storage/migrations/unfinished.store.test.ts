import { downOver } from "./testing/down-over.ts";
import { afterEach, describe, expect, it } from "vitest";
import type { MessageContent } from "../../domain/message.ts";
import { openMigrations, openStore, type DatabaseLocation } from "../open-store.ts";
import type { Store } from "../store.ts";
import type { OutputItem } from "../ports/transcript-store.ts";
import { openRaw } from "../testing/raw-database.ts";
import { beginSession, driveSession, NOON } from "../testing/session-driver.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";

const databases: TestDatabase[] = [];
afterEach(async () => {
  for (const database of databases.splice(0)) await database.remove();
});

const call = (status: string): MessageContent => ({
  type: "tool",
  tool: "shell",
  callId: status,
  args: { status: "pending", note: "a null \u0001 and a heart \u2665" },
  status,
});

const put = (id: string, content: MessageContent, complete: boolean): OutputItem => ({
  put: "message",
  message: { id, role: "agent", content },
  complete,
});

describe.each(["sqlite", "postgres"] as const)("closing what runs left open, on %s", (engine) => {
  it("A3, A15: a tool call that an ended run of an earlier version left open becomes unfinished; nothing else changes", async () => {
    const database = await createTestDatabase(engine);
    databases.push(database);
    const { location } = database;
    const before = await withStore(location, async (store) => {
      const repo = { id: "r", path: "/srv/r", name: "r", createdAt: NOON };
      await store.addRepo(repo);
      const session = await beginSession(store, { id: "s1", repoId: "r" });
      await session.claim();
      const ended = await session.run();
      // Earlier versions stored calls that no agent ended as complete messages with an open status.
      await session.put(
        ended,
        put("m-pending", call("pending"), true),
        put("m-running", call("in_progress"), true),
        put("m-done", call("completed"), true),
        put("m-text", { type: "text", text: 'the "tool" is "pending"' }, true),
      );
      await session.end(ended);
      const current = await session.run();
      await session.put(current, put("m-open", call("in_progress"), false));
      return session.stored();
    });
    await downOver(location, "0012-unfinished");
    const messagesOf = (store: Store) => store.readMessages({ sessionId: "s1" });

    await withStore(location, async (store) => {
      const contents = new Map((await messagesOf(store)).map(({ id, content }) => [id, content]));
      expect(contents.get("m-pending")).toEqual({ ...call("pending"), status: "unfinished" });
      expect(contents.get("m-running")).toEqual({ ...call("in_progress"), status: "unfinished" });
      expect(contents.get("m-done")).toEqual(call("completed"));
      expect(contents.get("m-text")).toEqual({
        type: "text",
        text: 'the "tool" is "pending"',
        partial: false,
      });
      // An agent is working on it.
      expect(contents.get("m-open")).toEqual(call("in_progress"));

      // A reader that knows the whole earlier log receives the changes, and the log continues after them.
      const session = driveSession(store, { id: "s1", now: NOON + 60_000 });
      const news = await session.log(before.lastSeq);
      expect(news.map((entry) => entry.kind === "message" && entry.message.id)).toEqual([
        "m-pending",
        "m-running",
      ]);
      expect((await session.stored()).lastSeq).toBe(before.lastSeq + 2);
      const whole = await session.log();
      const entries = whole.filter(
        (entry) => entry.kind === "message" && entry.message.id === "m-pending",
      );
      expect(entries).toHaveLength(1);
    });

    // After another rollback and migration, the calls are the same and none is closed twice.
    await downOver(location, "0012-unfinished");
    await withStore(location, async (store) => {
      const statuses = (await messagesOf(store)).map(({ content }) => content["status"] ?? null);
      expect(statuses.filter((status) => status === "unfinished")).toHaveLength(2);
      const session = driveSession(store, { id: "s1", now: NOON + 60_000 });
      expect((await session.stored()).lastSeq).toBe(before.lastSeq + 2);
    });
  });

  it("B5, A15: leaves an unreadable message unchanged, and closes more calls than one batch", async () => {
    const database = await createTestDatabase(engine);
    databases.push(database);
    const { location } = database;
    await withStore(location, async (store) => {
      const repo = { id: "r", path: "/srv/r", name: "r", createdAt: NOON };
      await store.addRepo(repo);
      const session = await beginSession(store, { id: "s1", repoId: "r" });
      await session.claim();
      const run = await session.run();
      const calls = Array.from({ length: 120 }, (_, n) => put(`m-${n}`, call("pending"), true));
      await session.put(run, ...calls);
      await session.end(run);
    });
    await downOver(location, "0012-unfinished");
    const raw = await openRaw(location);
    const broken = '["tool", "pending"]';
    await raw.run(`update "AgentMessage" set "content" = '${broken}' where "id" = 'm-7'`);
    await withStore(location, async (store) => {
      const messages = await store.readMessages({ sessionId: "s1" });
      const closed = messages.filter(({ content }) => content["status"] === "unfinished");
      expect(closed).toHaveLength(119);
    });
    const [row] = await raw.all(
      `select cast("content" as text) as "content" from "AgentMessage" where "id" = 'm-7'`,
    );
    await raw.close();
    expect(row).toEqual({ content: broken });
  });
});

async function withStore<Result>(
  location: DatabaseLocation,
  use: (store: Store) => Promise<Result>,
): Promise<Result> {
  await (await openMigrations(location)).up();
  const store = await openStore(location, { clock: () => NOON });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
