import { afterEach, describe, expect, it } from "vitest";
import { isLongRun } from "../../domain/testing/repeat.ts";
import { openMigrations, openStore, type DatabaseLocation } from "../open-store.ts";
import type { Store } from "../store.ts";
import { openRaw } from "../testing/raw-database.ts";
import {
  beginSession,
  driveSession,
  growingText,
  HANDED,
  opening,
  textOf,
} from "../testing/session-driver.ts";
import { createTestDatabase, type Engine, type TestDatabase } from "../testing/test-database.ts";
import { createPortal } from "./testing/create-portal.ts";
import { downOver } from "./testing/down-over.ts";
import { dumpDatabase } from "./testing/dump-database.ts";
import { EIGHT, SESSIONS } from "./testing/portal-contents.ts";

const TEN = EIGHT + 2 * 3_600_000;
const SECOND_MS = 1000;
const ENGINES = ["sqlite", "postgres"] as const;
const SHAPES = ["first", "second"] as const;
const CONTENTS = ["odd", "empty"] as const;
const portals = ENGINES.flatMap((engine) =>
  SHAPES.flatMap((shape) => CONTENTS.map((contents) => ({ engine, shape, contents }))),
).filter(
  // An empty database differs between releases of the portal only in its schema, which SQLite shows, too.
  ({ engine, contents }) => isLongRun || engine === "sqlite" || contents === "odd",
);
const PLAN = { type: "plan", steps: [{ content: "look", status: "pending" }] };
const TOOL = { type: "tool", tool: "grep", args: { pattern: "x" }, result: null, status: "failed" };
const databases: TestDatabase[] = [];

afterEach(async () => {
  for (const database of databases.splice(0)) await database.remove();
});

describe.each(portals)(
  "rolling back an $contents portal on $engine, its $shape release",
  (portal) => {
    it("A15 restores it exactly, and it can be migrated again", async () => {
      const { location } = owned(await createPortal(portal));
      const before = await dumpDatabase(location);
      const migrations = await openMigrations(location);
      await migrations.up();
      const migrated = await dumpDatabase(location);

      const names = (await migrations.status()).map(({ name }) => name).toReversed();
      expect(names.slice(-2)).toEqual(["0002-sessions", "0001-portal"]);
      for (const name of names.slice(0, -1))
        expect(await migrations.down()).toEqual([{ name, direction: "down" }]);
      expect(await dumpDatabase(location)).toBe(before);
      expect(await migrations.down()).toEqual([{ name: "0001-portal", direction: "down" }]);
      expect(await dumpDatabase(location)).toBe(before);
      await migrations.up();
      expect(await dumpDatabase(location)).toBe(migrated);
    });
  },
);

describe.each(ENGINES)("rolling back on %s", (engine) => {
  it.each(SHAPES)(
    "A15 carries back what happened since, in the shape of the %s release",
    async (shape) => {
      const { location } = owned(await createPortal({ engine, shape, contents: "odd" }));
      const before = await portalRows(location);
      const resuming = { supportsResume: true, resumeData: { token: 1 } };
      await withStore(location, async (store) => {
        await driveSession(store, { id: "s-paused", now: TEN }).perform({ type: "archive" });
        await driveSession(store, { id: "s-completed", now: TEN }).perform({ type: "delete" });
        await driveSession(store, { id: "s-cancelled", now: TEN }).perform({ type: "delete" });
        const old = driveSession(store, { id: "s-suspended", now: TEN });
        const sent = await old.send("Are you there?", { messageId: "n1" });
        await old.perform({ type: "start-run", runId: sent.runId, start: HANDED });
        await old.perform({ type: "record-resume", provider: HANDED.provider, ...resuming });
        await store.addRepo({ id: "r-new", path: "/srv/work/new", name: "new", createdAt: TEN });
        const added = await beginSession(store, { id: "s-new", repoId: "r-new", at: TEN });
        await added.claim();
        const run = await added.send("Begin.", { messageId: "n2", start: HANDED });
        await added.put(run, opening("n3", "Well, "), {
          put: "text",
          messageId: "n3",
          text: "let me ",
        });
        await added.put(run, { put: "text", messageId: "n3", text: "see" });
        await added.put(
          run,
          { put: "message", message: { id: "n5", role: "system", content: PLAN }, complete: false },
          { put: "message", message: { id: "n6", role: "system", content: TOOL }, complete: true },
          {
            put: "message",
            message: { id: "n7", role: "agent", content: textOf("It is.") },
            complete: true,
          },
        );
        await added.send("And hurry.", { messageId: "n4" });
        await beginSession(store, { id: "s-unbound", at: TEN });
      });
      await downOver(location, "0002-sessions");

      const after = await portalRows(location);
      const changed = {
        resumeData: '{"provider":"demo","data":{"token":1}}',
        supportsResume: 1,
        lastActiveAt: TEN + 3 * SECOND_MS,
      };
      const resumed = shape === "first" ? {} : changed;
      const fresh =
        shape === "first"
          ? {}
          : { resumeData: null, supportsResume: 0, lastActiveAt: TEN + 5 * SECOND_MS };
      expect(after.AgentSession).toEqual(
        [
          ...before.AgentSession.filter(
            ({ id }) => id !== "s-completed" && id !== "s-cancelled",
          ).map((row) => {
            if (row["id"] === "s-paused")
              return { ...row, status: "cancelled", updatedAt: TEN + SECOND_MS };
            if (row["id"] !== "s-suspended") return row;
            return { ...row, status: "active", updatedAt: TEN + 3 * SECOND_MS, ...resumed };
          }),
          {
            id: "s-new",
            repoId: "r-new",
            status: "active",
            createdAt: TEN,
            updatedAt: TEN + 5 * SECOND_MS,
            ...fresh,
          },
        ].toSorted(byId),
      );
      expect(after.AgentMessage).toEqual(
        [
          ...before.AgentMessage.filter(({ id }) => id !== "c1" && id !== "d1"),
          added("n1", "s-suspended", TEN + SECOND_MS, {
            content: { type: "text", text: "Are you there?" },
          }),
          added("n2", "s-new", TEN + SECOND_MS, { content: { type: "text", text: "Begin." } }),
          added("n3", "s-new", TEN + 2 * SECOND_MS, {
            role: "agent",
            content: growingText("Well, let me see"),
          }),
          added("n4", "s-new", TEN + 5 * SECOND_MS, {
            content: { type: "text", text: "And hurry." },
          }),
          added("n5", "s-new", TEN + 4 * SECOND_MS, { role: "system", content: PLAN }),
          added("n6", "s-new", TEN + 4 * SECOND_MS, { role: "system", content: TOOL }),
          added("n7", "s-new", TEN + 4 * SECOND_MS, { role: "agent", content: textOf("It is.") }),
        ].toSorted(byId),
      );
      const columns = { url: null, branch: "main", host: "r-new", stars: 0 };
      const times = { createdAt: TEN, updatedAt: TEN, syncedAt: TEN };
      expect(after.Repo).toEqual(
        [
          ...before.Repo,
          { id: "r-new", name: "new", path: "/srv/work/new", ...columns, ...times },
        ].toSorted(byId),
      );
    },
  );

  it("A15 leaves unchanged rows untouched, and no table of Holdfast", async () => {
    const { location } = owned(await createPortal({ engine, shape: "second", contents: "odd" }));
    const before = (await dumpDatabase(location)).split("\n");
    await withStore(location, async (store) => {
      await driveSession(store, { id: "s-paused", now: TEN }).perform({ type: "archive" });
    });
    await downOver(location, "0002-sessions");

    const after = (await dumpDatabase(location)).split("\n");
    expect(after.length).toBe(before.length);
    expect(after.filter((line) => !before.includes(line))).toEqual([
      expect.stringContaining("s-paused"),
    ]);
  });

  it("A15 gives a new session on a known path to the portal's own repository", async () => {
    const { location } = owned(await createPortal({ engine, shape: "second", contents: "odd" }));
    await withStore(location, async (store) => {
      for (const { id } of SESSIONS) await store.deleteSessions([id]);
      expect(await store.removeRepo("alpha")).toBe("removed");
      await store.addRepo({
        id: "alpha-2",
        path: "/srv/work/alpha",
        name: "alpha",
        createdAt: TEN,
      });
      await beginSession(store, { id: "s-new", repoId: "alpha-2", at: TEN });
    });
    await downOver(location, "0002-sessions");

    const { AgentSession, AgentMessage, Repo } = await portalRows(location);
    expect(AgentSession).toMatchObject([{ id: "s-new", repoId: "alpha" }]);
    expect(Repo.map(({ id }) => id)).toEqual(["alpha", "beta", "beta-again"]);
    // It had no session before the migration, and nothing deleted it.
    expect(AgentMessage.map(({ id }) => id)).toEqual(["g1"]);
  });

  it("A15 keeps the tables of an empty portal even if they have no additional column", async () => {
    const { location } = owned(await createPortal({ engine, shape: "first", contents: "empty" }));
    const raw = await openRaw(location);
    await raw.run(`drop index "Repo_host_key"`);
    for (const column of ["url", "branch", "host", "stars", "syncedAt"]) {
      await raw.run(`alter table "Repo" drop column "${column}"`);
    }
    await raw.close();
    const before = await dumpDatabase(location);
    await withStore(location, async () => {});
    await downOver(location, "0001-portal");

    expect(await dumpDatabase(location)).toBe(before);
  });

  it("A15 works where the portal has another name for the path of a repository", async () => {
    const { location } = owned(await createPortal({ engine, shape: "first", contents: "odd" }));
    const raw = await openRaw(location);
    await raw.run(`alter table "Repo" rename column "path" to "localPath"`);
    await raw.close();
    const before = await dumpDatabase(location);
    await withStore(location, async (store) => {
      expect(await store.readRepo("alpha")).toMatchObject({ path: "/srv/work/alpha" });
    });
    await downOver(location, "0002-sessions");

    expect(await dumpDatabase(location)).toBe(before);
    await withStore(location, async (store) => {
      await store.addRepo({ id: "r-new", path: "/srv/work/new", name: "new", createdAt: TEN });
    });
    await downOver(location, "0002-sessions");
    const { Repo } = await portalRows(location);
    expect(Repo).toContainEqual(
      expect.objectContaining({ id: "r-new", localPath: "/srv/work/new" }),
    );
  });

  it("A15 gives a database without a portal the portal's tables, and migrates it again", async () => {
    const { location } = owned(await createTestDatabase(engine));
    await withStore(location, async (store) => {
      await store.addRepo({ id: "r", path: "/srv/r", name: "r", createdAt: TEN });
      const session = await beginSession(store, { id: "s1", repoId: "r", at: TEN });
      await session.end(await session.send("Hello", { messageId: "m1", start: HANDED }));
      await session.perform({ type: "archive" });
    });
    await downOver(location, "0002-sessions");

    const times = { createdAt: TEN, updatedAt: TEN + 3 * SECOND_MS };
    expect(await portalRows(location)).toEqual({
      Repo: [{ id: "r", name: "r", path: "/srv/r", createdAt: TEN, updatedAt: TEN }],
      AgentSession: [{ id: "s1", repoId: "r", status: "cancelled", ...times }],
      AgentMessage: [
        added("m1", "s1", TEN + SECOND_MS, { content: { type: "text", text: "Hello" } }),
      ],
    });
    await downOver(location, "0003-search");
    expect((await portalRows(location)).AgentMessage).toHaveLength(1);
    await withStore(location, async (store) => {
      expect((await store.listSessions({ limit: 5 })).sessions).toMatchObject([
        { id: "s1", status: "archived", ...times },
      ]);
      expect(await store.readMessages({ sessionId: "s1" })).toMatchObject([
        { id: "m1", content: textOf("Hello") },
      ]);
    });
  });

  it("A15 of the search alone keeps all titles, and an incomplete message can be completed", async () => {
    const { location } = owned(await createTestDatabase(engine));
    const sent = await withStore(location, async (store) => {
      await store.addRepo({ id: "r", path: "/srv/r", name: "r", createdAt: TEN });
      const session = await beginSession(store, {
        id: "s1",
        repoId: "r",
        title: "Harvest",
        at: TEN,
      });
      await session.claim();
      const run = await session.send("Hello", { messageId: "m1", start: HANDED });
      await session.put(run, opening("m2", "growing"));
      return run;
    });
    await downOver(location, "0003-search");

    await withStore(location, async (store) => {
      const found = async (search: string) =>
        (await store.listSessions({ search, limit: 5 })).total;
      expect([await found("harvest"), await found("hello"), await found("growing")]).toEqual([
        1, 1, 0,
      ]);
      const fence = { node: "node-1", epoch: 1 };
      await driveSession(store, { id: "s1", now: TEN + 9 * SECOND_MS, fence }).end(sent);
      expect(await found("growing")).toBe(1);
    });
  });
});

describe("rolling back a portal whose times are texts", () => {
  it("A15 writes times as texts too, so that new rows come last", async () => {
    const { location } = owned(
      await createPortal({ engine: "sqlite", shape: "first", contents: "odd" }),
    );
    const raw = await openRaw(location);
    const iso = `strftime('%Y-%m-%dT%H:%M:%f+00:00', '2025-03-01', row_number || ' minutes')`;
    await raw.run(`update "AgentMessage" set "timestamp" = (select ${iso} from (
      select id, row_number() over (order by id) as row_number from "AgentMessage") n where n.id = "AgentMessage"."id")`);
    await withStore(location, async (store) => {
      await driveSession(store, { id: "s-active", now: TEN }).send("Last", { messageId: "a0" });
    });
    await downOver(location, "0002-sessions");

    const rows = await raw.all(
      `select "id", "timestamp" from "AgentMessage" where "sessionId" = 's-active' order by "timestamp"`,
    );
    await raw.close();
    expect(rows.map(({ id }) => id)).toEqual(["a1", "a2", "a3", "a4", "a5", "a0"]);
    expect(rows.at(-1)?.["timestamp"]).toBe("2025-03-01T10:00:01.000+00:00");
  });
});

function owned(database: TestDatabase): TestDatabase {
  databases.push(database);
  return database;
}

async function withStore<Result>(
  location: DatabaseLocation,
  use: (store: Store) => Promise<Result>,
): Promise<Result> {
  await (await openMigrations(location)).up();
  const store = await openStore(location, { clock: () => TEN });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

type Row = Readonly<Record<string, unknown>>;

/** The portal's tables by id, times as epoch milliseconds and flags as numbers. */
async function portalRows(location: DatabaseLocation) {
  const raw = await openRaw(location);
  const read = async (table: string): Promise<Row[]> => {
    const rows = await raw.all(
      location.engine === "sqlite"
        ? `select * from "${table}"`
        : `select to_jsonb(t) as row from "${table}" t`,
    );
    return rows.map((row) => plain(location.engine, row)).toSorted(byId);
  };
  try {
    return {
      Repo: await read("Repo"),
      AgentSession: await read("AgentSession"),
      AgentMessage: await read("AgentMessage"),
    };
  } finally {
    await raw.close();
  }
}

function plain(engine: Engine, found: Row): Row {
  const row: Row = engine === "sqlite" ? found : Object(found["row"]);
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      const isTime = column.endsWith("At") || column === "timestamp";
      if (isTime && typeof value === "string") return [column, epochOf(value)];
      return [column, typeof value === "boolean" ? Number(value) : value];
    }),
  );
}

function epochOf(text: string): number {
  return Date.parse(/[Z+]/u.test(text) ? text : `${text.replace(" ", "T")}Z`);
}

function added(
  id: string,
  sessionId: string,
  timestamp: number,
  { role = "user", content }: { readonly role?: string; readonly content: object },
): Row {
  return { id, sessionId, role, content: JSON.stringify(content), timestamp };
}

function byId(left: Row, right: Row): number {
  return String(left["id"]) < String(right["id"]) ? -1 : 1;
}
