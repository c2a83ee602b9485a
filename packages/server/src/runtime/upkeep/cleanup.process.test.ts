import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, NOON } from "../../domain/testing/commands.ts";
import { openStore } from "../../storage/open-store.ts";
import { openRaw } from "../../storage/testing/raw-database.ts";
import { beginSession, type SessionDriver } from "../../storage/testing/session-driver.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import { bundleFolder } from "../bundle/bundle-folder.ts";
import { cleanUp } from "./cleanup.ts";
import { executeCommand, type Execution } from "../execute-command.ts";

const NOTHING_KEPT = {
  conversations: 0,
  archived: 0,
  busy: 0,
  queued: 0,
  owned: 0,
  unreadable: 0,
  changed: 0,
};
const LATER = { now: NOON + DAY_MS, olderThanMs: HOUR_MS } as const;

let test: TestStore;
let repoId: string;
beforeEach(async () => {
  test = await openTestStore("sqlite");
  repoId = (await test.store.addRepo({ id: "r", path: "/r", name: "r", createdAt: 1 })).id;
});
afterEach(() => test.close());

/** Tracks an agent that somebody else runs. */
const begin = (more: Parameters<typeof beginSession>[1] = {}): Promise<SessionDriver> =>
  beginSession(test.store, more);

/** Can run agents here. */
const beginChat = (more: Parameters<typeof beginSession>[1] = {}): Promise<SessionDriver> =>
  begin({ repoId, ...more });

const left = async (): Promise<readonly string[]> =>
  (await test.store.listSessions({ limit: 100 })).sessions.map(({ id }) => id).toSorted();

const idsOf = (sessions: readonly SessionDriver[]): readonly string[] =>
  sessions.map(({ id }) => id).toSorted();

describe("cleanup", () => {
  it("B6, ruling 17: takes tracked sessions at rest, never conversations, and says what it kept and why", async () => {
    const [idle, finished, broken] = [await begin(), await begin(), await begin()];
    await finished.perform({ type: "finalize", outcome: "completed", summary: null });
    await broken.perform({ type: "fail", reason: "broken" });
    const chats = await Promise.all(Array.from({ length: 5 }, () => beginChat()));
    const [archived, running, queued, waiting, chat] = chats;
    const unreadable = await begin();
    if (chat !== undefined) await chat.end(await chat.run());
    await archived?.perform({ type: "archive" });
    await running?.run();
    await queued?.send("later");
    if (waiting !== undefined) await waiting.suspend(await waiting.run());
    const raw = await openRaw(test.location);
    await raw.run(`update "AgentSession" set "metadata" = '{' where "id" = '${unreadable.id}'`);
    await raw.close();
    const recent = await begin({ at: NOON + DAY_MS - HOUR_MS + 1 });

    const forgotten: string[] = [];
    const cleaned = await cleanUp(test.store, {
      ...LATER,
      forgetSessions: async (ids) => void forgotten.push(...ids),
    });

    expect(cleaned).toMatchObject({
      removed: 3,
      kept: {
        conversations: 1,
        archived: 1,
        busy: 2,
        queued: 1,
        owned: 0,
        unreadable: 1,
        changed: 0,
      },
    });
    expect(idsOf([idle, finished, broken])).toEqual(forgotten.toSorted());
    expect(await left()).toEqual(idsOf([recent, ...chats]));
    expect(await test.store.load(unreadable.id)).toMatchObject({ found: "unreadable" });
    expect(await cleanUp(test.store, LATER)).toMatchObject({ removed: 0 });
  });

  it("B6 says beforehand what would go, and removes nothing", async () => {
    const first = await begin({ id: "first", agentId: "agent-1", agentName: "ada", at: NOON - 1 });
    await Promise.all(Array.from({ length: 31 }, () => begin()));
    const cleaned = await cleanUp(test.store, { ...LATER, dryRun: true });
    expect(cleaned).toMatchObject({ removed: 32, kept: NOTHING_KEPT });
    expect(cleaned.first).toHaveLength(20);
    expect(cleaned.first[0]).toEqual({
      id: first.id,
      agentId: "agent-1",
      agentName: "ada",
      title: null,
      lastActiveAt: NOON - 1,
      entries: 1,
    });
    expect(await left()).toHaveLength(32);
  });

  it("B6 removes in parts, and lets others write in between", async () => {
    const sessions = await Promise.all(Array.from({ length: 6 }, () => begin()));
    const raw = await openRaw(test.location);
    await raw.run(`update "AgentSession" set "lastSeq" = 2500`);
    await raw.close();
    const busyTimeoutMs = 0;
    const other = await openStore(test.location, { clock: Date.now, busyTimeoutMs });
    const parts: number[] = [];
    const progress: [number, number][] = [];
    const cleaned = await cleanUp(test.store, {
      ...LATER,
      onProgress: (done, total) => progress.push([done, total]),
      forgetSessions: async (ids) => {
        parts.push(ids.length);
        await beginSession(other, { at: NOON + DAY_MS });
      },
    });
    await other.close();
    expect(cleaned).toMatchObject({ removed: sessions.length, kept: NOTHING_KEPT });
    expect(parts).toEqual([2, 2, 2]);
    expect(progress).toEqual([
      [2, 6],
      [4, 6],
      [6, 6],
    ]);
    expect(await left()).toHaveLength(3);
  });

  it("B6 goes through more sessions than it looks at in one go", async () => {
    await Promise.all(Array.from({ length: 2101 }, () => begin()));
    expect(await cleanUp(test.store, LATER)).toMatchObject({ removed: 2101 });
    expect(await left()).toEqual([]);
  });

  it("B6 leaves a session alone that was taken up after it was looked at", async () => {
    const [awake, calm] = [await begin(), await begin()];
    const store = {
      ...test.store,
      staleSessions: async (query: Parameters<typeof test.store.staleSessions>[0]) => {
        const page = await test.store.staleSessions(query);
        await awake.perform({ type: "archive" });
        return page;
      },
    };
    expect(await cleanUp(store, LATER)).toMatchObject({
      removed: 1,
      first: [{ id: calm.id }],
      kept: { changed: 1 },
    });
    expect(await left()).toEqual([awake.id]);
  });

  it("ruling 17: takes conversations only when told to, each after its bundle was written", async () => {
    const [tracked, chat, later] = [await begin(), await beginChat(), await beginChat()];
    await chat.end(await chat.run("Remember me."));
    await later.send("not yet");
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-test-"));
    const clock = (): number => LATER.now;
    const forgotten: string[] = [];
    const conversations = {
      store: test.store,
      bundles: bundleFolder(folder),
      clock,
      execute: (execution: Execution) =>
        executeCommand({ store: test.store, newId: randomUUID }, execution),
      forgetSession: async (id: string) => void forgotten.push(id),
      log: { info: () => {}, warn: () => {}, error: () => {} },
    };
    try {
      const dry = await cleanUp(test.store, { ...LATER, conversations, dryRun: true });
      expect(dry).toMatchObject({ removed: 2, failures: [] });
      expect(readdirSync(folder)).toEqual([]);
      const cleaned = await cleanUp(test.store, { ...LATER, conversations });
      expect(cleaned).toMatchObject({ removed: 2, failures: [], kept: { queued: 1 } });
      expect(cleaned.first.map(({ id }) => id).toSorted()).toEqual(idsOf([tracked, chat]));
      expect(await left()).toEqual([later.id]);
      expect(forgotten).toEqual([chat.id]);
      const [bundle = ""] = readdirSync(folder);
      expect(readFileSync(path.join(folder, bundle), "utf8")).toContain("Remember me.");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("ruling 17: keeps a conversation whose bundle cannot be written, and says why", async () => {
    const chat = await beginChat();
    const folder = path.join(tmpdir(), `holdfast-test-${randomUUID()}`);
    writeFileSync(folder, "a file where the folder should be");
    const conversations = {
      store: test.store,
      bundles: bundleFolder(folder),
      clock: () => LATER.now,
      execute: (execution: Execution) =>
        executeCommand({ store: test.store, newId: randomUUID }, execution),
      forgetSession: async () => {},
      log: { info: () => {}, warn: () => {}, error: () => {} },
    };
    const cleaned = await cleanUp(test.store, { ...LATER, conversations });
    rmSync(folder);
    expect(cleaned).toMatchObject({
      removed: 0,
      failures: [{ sessionId: chat.id, reason: expect.stringContaining("EEXIST") }],
      kept: { conversations: 1, changed: 0 },
    });
    expect(await left()).toEqual([chat.id]);
  });

  it("stops when it is told to, and what it has removed by then is removed", async () => {
    await Promise.all(Array.from({ length: 6 }, () => begin()));
    const raw = await openRaw(test.location);
    await raw.run(`update "AgentSession" set "lastSeq" = 5000`);
    await raw.close();
    const stopping = new AbortController();
    const cleaned = await cleanUp(test.store, {
      ...LATER,
      signal: stopping.signal,
      onProgress: (done) => {
        if (done === 2) stopping.abort();
      },
    });
    expect(cleaned).toMatchObject({ removed: 2 });
    expect(await left()).toHaveLength(4);
  });
});
