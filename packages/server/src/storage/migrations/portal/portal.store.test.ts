import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stateOf } from "../../../domain/session.ts";
import { openMigrations, openStore } from "../../open-store.ts";
import type { Store } from "../../store.ts";
import type { SessionRecord } from "../../ports/session-store.ts";
import { openRaw } from "../../testing/raw-database.ts";
import { driveSession, textOf } from "../../testing/session-driver.ts";
import type { TestDatabase } from "../../testing/test-database.ts";
import { createPortal } from "../testing/create-portal.ts";
import { EIGHT, MESSAGES, REPOS, SESSIONS } from "../testing/portal-contents.ts";
import { bothTellings } from "../testing/replay.ts";

const MINUTE_MS = 60_000;
const portals = (["sqlite", "postgres"] as const).flatMap((engine) =>
  (["first", "second"] as const).map((shape) => ({ engine, shape })),
);

describe.each(portals)("a portal on $engine, its $shape release, migrated", ({ engine, shape }) => {
  let database: TestDatabase;
  let store: Store;

  beforeAll(async () => {
    database = await createPortal({ engine, shape, contents: "odd" });
    await (await openMigrations(database.location)).up();
    store = await openStore(database.location, { clock: () => 0 });
  });
  afterAll(async () => {
    await store.close();
    await database.remove();
  });

  it("A15 has every session with its new status", async () => {
    const { sessions, total, counts } = await store.listSessions({ limit: 100 });

    expect(Object.fromEntries(sessions.map(({ id, status }) => [id, status]))).toEqual({
      "s-active": "active",
      "s-suspended": "suspended",
      "s-completed": "active",
      "s-cancelled": "archived",
      "s-error": "error",
      "s-paused": "active",
      "s-homeless": "active",
    });
    expect(sessions.every(({ state, queued }) => state === "idle" && queued === 0)).toBe(true);
    expect(total).toBe(SESSIONS.length);
    expect(counts).toEqual({ active: 4, suspended: 1, archived: 1, error: 1, badge: 5 });
  });

  it("A15 has the times of its sessions to the millisecond", async () => {
    const { sessions } = await store.listSessions({ limit: 100 });
    const times = sessions.map(({ id, createdAt, updatedAt }) => ({ id, createdAt, updatedAt }));

    expect(times.toSorted(byId)).toEqual(
      SESSIONS.map(({ id, createdAt, updatedAt }) => {
        return { id, createdAt: createdAt.at, updatedAt: updatedAt.at };
      }).toSorted(byId),
    );
  });

  it("A15 has the last activity and the resume data of its sessions", async () => {
    const { sessions } = await store.listSessions({ limit: 100 });
    const found = Object.fromEntries(sessions.map((session) => [session.id, resumingOf(session)]));

    const never = { supportsResume: false, resumeData: [] };
    // The provider is unknown, so no agent uses it. A rollback restores it.
    const ofPortal = (data: unknown) => [{ provider: null, data, seen: null }];
    const updated = (id: string) => SESSIONS.find((session) => session.id === id)?.updatedAt.at;
    const homeless = { lastActiveAt: updated("s-homeless"), ...never };
    const paused = { lastActiveAt: updated("s-paused"), ...never };
    expect(found).toEqual(
      shape === "first"
        ? Object.fromEntries(
            SESSIONS.map(({ id, updatedAt }) => [id, { lastActiveAt: updatedAt.at, ...never }]),
          )
        : {
            // An active session was active until its last change. The column does not matter.
            "s-active": {
              lastActiveAt: updated("s-active"),
              supportsResume: true,
              resumeData: ofPortal({ id: "r1" }),
            },
            "s-completed": { lastActiveAt: updated("s-completed"), ...never },
            "s-paused": paused,
            "s-homeless": homeless,
            "s-suspended": {
              lastActiveAt: EIGHT + 35 * MINUTE_MS + 500,
              supportsResume: true,
              resumeData: ofPortal("not JSON"),
            },
            "s-cancelled": {
              lastActiveAt: EIGHT + 21 * MINUTE_MS,
              supportsResume: true,
              resumeData: [],
            },
            "s-error": { lastActiveAt: EIGHT + 4 * MINUTE_MS, ...never },
          },
    );
  });

  it("A15 has every message, in order of time, numbered without a gap up to the end of the log", async () => {
    for (const { id: sessionId } of SESSIONS) {
      const messages = await store.readMessages({ sessionId });
      const wanted = MESSAGES.filter((message) => message.sessionId === sessionId).toSorted(
        (left, right) => left.timestamp.at - right.timestamp.at || (left.id < right.id ? -1 : 1),
      );
      const { lastSeq } = await driveSession(store, { id: sessionId, now: 0 }).stored();
      const firstSeq = lastSeq - wanted.length + 1;

      expect(
        messages.map(({ id, at, seq, complete, runId }) => ({ id, at, seq, complete, runId })),
      ).toEqual(
        wanted.map(({ id, timestamp }, index) => {
          return { id, at: timestamp.at, seq: firstSeq + index, complete: true, runId: null };
        }),
      );
      const log = await store.readEvents({ sessionId, after: 0, limit: 1000 });
      expect(log.map(({ seq }) => seq)).toEqual(
        Array.from({ length: lastSeq }, (_, index) => index + 1),
      );
    }
  });

  it("A15 has the contents of the messages, and unknown contents as text", async () => {
    const said = async (sessionId: string) =>
      (await store.readMessages({ sessionId })).map(({ role, content }) => ({ role, content }));

    expect(await said("s-active")).toEqual([
      { role: "user", content: textOf("Rename Größe to size") },
      { role: "agent", content: textOf("I shall.") },
      {
        role: "system",
        content: { type: "plan", steps: [{ title: "look" }, { title: "rename" }] },
      },
      {
        role: "system",
        content: { type: "tool", tool: "grep", args: { pattern: "Größe" }, result: { matches: 3 } },
      },
      { role: "agent", content: textOf("Done.") },
    ]);
    expect(await said("s-suspended")).toEqual([
      { role: "user", content: textOf("plain words, no JSON") },
      { role: "system", content: textOf("a role of its own") },
      { role: "agent", content: textOf('{"text":"no type"}') },
      { role: "agent", content: textOf('{"type":7,"text":"no name of a type"}') },
      { role: "agent", content: textOf("[1,2]") },
    ]);
  });

  it("A15 quarantines rows whose repository or session is missing", async () => {
    const found = await store.listQuarantined();

    expect(found.map(({ table, rowId, reason }) => ({ table, rowId, reason }))).toEqual(
      [
        { table: "Repo", rowId: "beta-again", reason: "its path is that of beta" },
        { table: "AgentMessage", rowId: "g1", reason: "its session does not exist" },
        {
          table: "AgentSession",
          rowId: "portal:s-homeless",
          reason: "its repository does not exist",
        },
      ].toSorted((left, right) => (left.rowId < right.rowId ? -1 : 1)),
    );
    const rows = found.map(({ row }): unknown => JSON.parse(row));
    expect(rows).toContainEqual(
      expect.objectContaining({ id: "g1", content: '{"type":"text","text":"Nobody listens"}' }),
    );
    expect(rows).toContainEqual(expect.objectContaining({ id: "s-homeless", repoId: "gone" }));
    expect(rows).toContainEqual(expect.objectContaining({ id: "beta-again", branch: "trunk" }));
  });

  it("A15 has its repositories, one for each path, with the sessions of both that share one", async () => {
    expect(await store.listRepos()).toEqual(
      REPOS.slice(0, 2).map(({ id, name, path }) => ({
        id,
        name,
        path,
        createdAt: EIGHT - 60 * MINUTE_MS,
      })),
    );
    const ofBeta = await store.listSessions({ repoId: "beta", limit: 10 });
    expect(ofBeta.sessions.map(({ id }) => id)).toEqual(["s-cancelled", "s-completed"]);
  });

  it("A15 has the same session in each log as in each row", async () => {
    for (const { id } of SESSIONS) {
      const { log, row } = await bothTellings(store, id);
      expect(row).not.toBeNull();
      expect(log).toEqual(row);
    }
  });

  it("A15 violates no rule of its schema", async () => {
    if (engine === "postgres") return; // cannot be broken there
    const raw = await openRaw(database.location);
    const broken = await raw.all("pragma foreign_key_check");
    // The portal's tables keep the two rows that were broken before.
    expect(broken.filter(({ table }) => !String(table).startsWith("portal_"))).toEqual([]);
    expect(broken.map(({ table }) => String(table)).toSorted()).toEqual([
      "portal_AgentMessage",
      "portal_AgentSession",
    ]);
    expect(await raw.all("pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
    await raw.close();
  });

  it("A15 finds old messages by search", async () => {
    const found = async (search: string) =>
      (await store.listSessions({ search, limit: 10 })).sessions.map(({ id }) => id);

    expect(await found("grosse")).toEqual([]);
    expect(await found("große")).toEqual(["s-active"]);
    expect(await found("GRÖ")).toEqual(["s-active"]);
    expect(await found("plain words")).toEqual(["s-suspended"]);
    expect(await found("listens")).toEqual([]);
  });

  it.each(["s-active", "s-suspended", "s-completed", "s-paused"])(
    "A15 goes on: %s takes a message",
    async (id) => {
      const session = driveSession(store, { id, now: EIGHT + 100 * MINUTE_MS });
      const before = await session.messages();

      const sent = await session.run("Go on.");
      expect(stateOf((await session.stored()).session)).toBe("running");
      await session.end(sent);

      const after = await session.messages();
      expect(after.slice(0, -1)).toEqual(before);
      expect(after.at(-1)).toMatchObject({ role: "user", content: textOf("Go on.") });
      expect((await session.stored()).session.standing).toMatchObject({ status: "active" });
    },
  );

  it.each([
    ["s-cancelled", "session_archived"],
    ["s-error", "session_failed"],
    ["s-homeless", "repository_required"],
  ])("A15 refuses a message to %s", async (id, code) => {
    const session = driveSession(store, { id, now: EIGHT + 100 * MINUTE_MS });
    await expect(session.run("Go on.")).rejects.toThrow(code);
  });
});

describe.each(["sqlite", "postgres"] as const)("a large portal on %s", (engine) => {
  it("A15 moves more messages than one batch, all in order and searchable", async () => {
    const database = await createPortal({ engine, shape: "second", contents: { long: 520 } });
    await (await openMigrations(database.location)).up();
    const store = await openStore(database.location, { clock: () => 0 });
    try {
      const messages = await store.readMessages({ sessionId: "s-long" });
      expect(messages.map(({ content }) => content)).toEqual(
        Array.from({ length: 520 }, (_, index) => textOf(`word${index}`)),
      );
      for (const word of ["word0", "word499", "word500", "word519"]) {
        expect(await store.listSessions({ search: word, limit: 1 })).toMatchObject({ total: 1 });
      }
    } finally {
      await store.close();
      await database.remove();
    }
  });
});

function byId(left: { readonly id: string }, right: { readonly id: string }): number {
  return left.id < right.id ? -1 : 1;
}

function resumingOf({ lastActiveAt, supportsResume, resumeData }: SessionRecord) {
  return { lastActiveAt, supportsResume, resumeData };
}
