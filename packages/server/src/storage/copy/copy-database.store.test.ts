import type { SessionPage } from "../ports/session-store.ts";
import { existsSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { openMigrations, openStore, type DatabaseLocation } from "../open-store.ts";
import { allRows } from "../testing/all-rows.ts";
import { fillDatabase } from "../testing/full-database.ts";
import { countRows, openRaw } from "../testing/raw-database.ts";
import { beginSession, driveSession, NOON } from "../testing/session-driver.ts";
import {
  createTestDatabase,
  openTestStore,
  type Engine,
  type TestDatabase,
  type TestStore,
} from "../testing/test-database.ts";
import { COPIED_TABLES, LEFT_OUT_TABLES } from "./copied-tables.ts";
import { copyDatabase, type CopyProgress } from "./copy-database.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

const WAYS = [
  ["sqlite", "postgres"],
  ["postgres", "sqlite"],
  ["sqlite", "sqlite"],
  ["postgres", "postgres"],
] as const;

describe("a copy of a database", () => {
  it("from SQLite to PostgreSQL and back has exactly the same rows", async () => {
    const first = await filled("sqlite");
    const [second, third] = [await empty("postgres"), await empty("sqlite")];
    const before = await allRows(first.location);
    const there = await copyDatabase({ from: first.location, to: second });
    const back = await copyDatabase({ from: second, to: third });
    expect(there).toMatchObject({ ok: true });
    expect(back).toEqual(there);
    const expected = withoutImportsAndOwners(before);
    expect(await allRows(second)).toEqual(expected);
    expect(await allRows(third)).toEqual(expected);
    expect(await allRows(first.location)).toEqual(before);
    for (const rows of Object.values(expected)) expect(rows).not.toEqual([]);
  });

  it.each(WAYS)("from %s to %s can be read and searched as the original", async (from, to) => {
    const original = await filled(from);
    const location = await empty(to);
    await copyDatabase({ from: original.location, to: location });
    const copy = await openStore(location, { clock: () => NOON });
    opened.push(copy);
    const look = async ({ store }: Pick<TestStore, "store">) => ({
      page: withoutRemovals(await store.listSessions({ limit: 100 })),
      found: await Promise.all(
        ["first", "hello", "größer", "dinosaur"].map(
          async (search) => (await store.listSessions({ limit: 100, search })).sessions.length,
        ),
      ),
      logs: await Promise.all(
        ["busy", "waiting", "final", "imported"].map((sessionId) =>
          store.readEvents({ sessionId, after: 0, limit: 1_000 }),
        ),
      ),
      queue: await store.readQueue("busy"),
      inbox: await store.openSuspensions(),
      recalled: await store.recall({ scope: "POST", key: "k1" }),
      byName: await store.findSession("orchestra-1"),
      setAside: await store.listQuarantined(),
      tally: await store.tally(),
      unsettled: await store.unsettledSessions(),
    });
    const seen = await look({ store: copy });
    expect(seen).toEqual(await look(original));
    expect(seen.found).toEqual([1, 1, 0, 0]);
    expect(seen.page.total).toBe(4);

    const session = driveSession(copy, { id: "waiting", now: NOON + 100_000 });
    const [open] = seen.inbox.filter(({ sessionId }) => sessionId === "waiting");
    if (open === undefined) throw new Error("it waits");
    await session.answer(open);
    const lastSeq = (await session.stored()).lastSeq;
    expect(await session.log(lastSeq - 1)).toHaveLength(1);
  });

  it("reports its progress", async () => {
    const original = await filled("sqlite");
    const heard: CopyProgress[] = [];
    const onProgress = (progress: CopyProgress): void => void heard.push(progress);
    const copied = await copyDatabase(
      { from: original.location, to: await empty("sqlite") },
      { onProgress },
    );
    if (!copied.ok) throw new Error(copied.refused);
    const total = copied.tables.reduce((sum, { rows }) => sum + rows, 0);
    expect(heard[0]).toEqual({ step: "copying", done: 0, total });
    expect(heard.findLast(({ step }) => step === "copying")).toMatchObject({ done: total });
    expect(heard.at(-1)).toEqual({ step: "verifying", done: total, total });
    const steps = heard.map(({ step }) => step);
    expect([...new Set(steps)]).toEqual(["copying", "indexing", "verifying"]);
  });

  it.each(["sqlite", "postgres"] as const)("of %s knows every table there is", async (engine) => {
    const location = await empty(engine);
    await (await openMigrations(location)).up();
    const raw = await openRaw(location);
    const rows = await raw.all(
      engine === "sqlite"
        ? `select name from sqlite_schema where type = 'table' and name not like 'SearchIndex_%'`
        : `select tablename as name from pg_tables where schemaname = 'public'`,
    );
    await raw.close();
    const known = [...COPIED_TABLES.map(({ name }) => name), ...LEFT_OUT_TABLES];
    const others = ["HoldfastMigration", "HoldfastMigrationLock"];
    const unknown = rows.map(({ name }) => String(name)).filter((name) => !known.includes(name));
    expect(unknown.toSorted()).toEqual(others);
  });
});

describe("a copy that is refused", () => {
  it.each(WAYS)("from %s to %s into a database that has something is refused", async (from, to) => {
    const original = await filled(from);
    const used = await openTest(to);
    await beginSession(used.store, { id: "mine" });
    const before = await allRows(used.location);
    expect(await copyDatabase({ from: original.location, to: used.location })).toEqual({
      ok: false,
      refused: "target_not_empty",
    });
    expect(await allRows(used.location)).toEqual(before);
  });

  it("is refused before the target is migrated, when that is somebody else's", async () => {
    const original = await filled("sqlite");
    const location = await empty("sqlite");
    const raw = await openRaw(location);
    await raw.run(`create table "AgentSession" (id text); insert into "AgentSession" values ('a')`);
    await raw.close();
    expect(await copyDatabase({ from: original.location, to: location })).toEqual({
      ok: false,
      refused: "target_not_empty",
    });
    const statuses = await (await openMigrations(location)).status();
    expect(statuses.every(({ executedAt }) => executedAt === null)).toBe(true);
  });

  it.each(["sqlite", "postgres"] as const)("is what a server uses, on %s", async (engine) => {
    const used = await filled(engine);
    const location = await empty("sqlite");
    await used.store.renewLease({ node: "alive", ttlMs: 60_000 });
    expect(await copyDatabase({ from: used.location, to: location })).toEqual({
      ok: false,
      refused: "source_in_use",
    });
    expect(existsSync(location.engine === "sqlite" ? location.file : "")).toBe(false);
    const other = await openTest(engine);
    await other.store.renewLease({ node: "alive", ttlMs: 60_000 });
    await used.store.dropLease("alive");
    expect(await copyDatabase({ from: used.location, to: other.location })).toEqual({
      ok: false,
      refused: "target_in_use",
    });
  });

  it("copies nothing when a server starts to use the original meanwhile", async () => {
    const original = await filled("sqlite");
    const location = await empty("postgres");
    const beginning: Promise<boolean>[] = [];
    const onProgress = ({ step, done }: CopyProgress): void => {
      if (step === "indexing" && done === 0)
        beginning.push(original.store.renewLease({ node: "alive", ttlMs: 60_000 }));
    };
    await expect(
      copyDatabase({ from: original.location, to: location }, { onProgress }),
    ).rejects.toMatchObject({ code: "database_busy" });
    await Promise.all(beginning);
    expect(new Set(Object.values(await countRows(location)))).toEqual(new Set([0]));
  });

  it("has no source, or its source is its target", async () => {
    const original = await filled("sqlite");
    const nowhere: DatabaseLocation = { engine: "sqlite", file: "/nowhere/holdfast.db" };
    const same = { from: original.location, to: original.location };
    expect(await copyDatabase(same)).toEqual({ ok: false, refused: "same_database" });
    expect(await copyDatabase({ from: nowhere, to: original.location })).toEqual({
      ok: false,
      refused: "source_missing",
    });
  });

  it("has a source of another version, which must be migrated first", async () => {
    const original = await filled("sqlite");
    await original.store.close();
    await (await openMigrations(original.location)).down();
    await expect(
      copyDatabase({ from: original.location, to: await empty("sqlite") }),
    ).rejects.toMatchObject({ code: "schema_too_old" });
  });

  it("names the row that the other database rejects, and copies nothing", async () => {
    const original = await filled("sqlite");
    const raw = await openRaw(original.location);
    await raw.run(`update "AgentSession" set "repoId" = 'gone' where "id" = 'final'`);
    await raw.close();
    const location = await empty("postgres");
    await expect(copyDatabase({ from: original.location, to: location })).rejects.toMatchObject({
      code: "constraint_broken",
      message: expect.stringMatching(/^A row of the table AgentSession, from bad to waiting, /u),
    });
    expect(new Set(Object.values(await countRows(location)))).toEqual(new Set([0]));
  });
});

describe("what was copied", () => {
  it.each([
    ["changed", `update "AgentMessage" set "role" = 'system' where "id" = new."id"`],
    ["lost", `delete from "AgentMessage" where "id" = new."id" and "sessionId" = 'busy'`],
    [
      "a little different",
      `update "AgentMessage" set "timestamp" = "timestamp" + 1 where "seq" = 3`,
    ],
  ])("is compared: a row that is %s is noticed, and nothing is copied", async (_, spoils) => {
    const original = await filled("sqlite");
    const target = await openTest("sqlite");
    const raw = await openRaw(target.location);
    await raw.run(`create trigger "spoils" after insert on "AgentMessage" begin ${spoils}; end`);
    await raw.close();
    const copying = copyDatabase({ from: original.location, to: target.location });
    await expect(copying).rejects.toMatchObject({
      code: "database_error",
      message: expect.stringMatching(
        /^The copy of the table AgentMessage differs from the original /u,
      ),
    });
    expect(new Set(Object.values(await countRows(target.location)))).toEqual(new Set([0]));
  });
});

async function openTest(engine: Engine): Promise<TestStore> {
  const test = await openTestStore(engine);
  opened.push(test);
  return test;
}

async function filled(engine: Engine): Promise<TestStore> {
  const test = await openTest(engine);
  await fillDatabase(test);
  return test;
}

async function empty(engine: Engine): Promise<DatabaseLocation> {
  const database: TestDatabase = await createTestDatabase(engine);
  opened.push({ close: database.remove });
  return database.location;
}

/** Leases and unfinished imports are not copied. */
function withoutImportsAndOwners(
  all: Awaited<ReturnType<typeof allRows>>,
): Awaited<ReturnType<typeof allRows>> {
  const tables = Object.entries(all).map(([table, rows]) => [
    table,
    rows
      .filter((row) => (table === "AgentSession" ? row["id"] : row["sessionId"]) !== "half")
      .map((row) => (table === "AgentSession" ? { ...row, owner: null } : row)),
  ]);
  return Object.fromEntries(tables);
}

/** Each database has its own migration time, and nothing is removed for a day after it. */
function withoutRemovals({ sessions, ...page }: SessionPage) {
  return { ...page, sessions: sessions.map(({ removeAt: _, ...session }) => session) };
}
