import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLongRun } from "../../domain/testing/repeat.ts";
import { openMigrations, openStore, type DatabaseLocation } from "../open-store.ts";
import { openRaw } from "../testing/raw-database.ts";
import { driveSession } from "../testing/session-driver.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { createPortal } from "./testing/create-portal.ts";
import { MIGRATION_NAMES } from "./testing/migration-names.ts";
import { dumpDatabase } from "./testing/dump-database.ts";
import { EIGHT } from "./testing/portal-contents.ts";
import { startDying } from "./testing/start-migration.ts";

const UP = [
  "migrate.portal.renamed",
  "migrate.portal.created",
  "migrate.portal.sessions",
  "migrate.portal.copying",
  "migrate.portal.messages",
  "migrate.search.created",
  "migrate.search.indexed",
  "migrate.roles.messages",
];
const DOWN_SEARCH = ["rollback.search.dropped"];
const DOWN_SESSIONS = [
  "rollback.portal.renamed",
  "rollback.portal.restored",
  "rollback.portal.carried",
  "rollback.portal.dropped",
];

describe.each(["sqlite", "postgres"] as const)("a migration on %s that is killed", (engine) => {
  let database: TestDatabase;
  let undisturbed: TestDatabase;
  let before: string;
  let upUntil: Awaited<ReturnType<typeof startDying>>;
  /** PostgreSQL keeps nothing of a broken transaction, wherever it broke: everyday runs kill it at every third failpoint. */
  const someOf = (failpoints: readonly string[]): readonly string[] =>
    failpoints.filter((_, index) => engine === "sqlite" || isLongRun || index % 3 === 0);
  const up = someOf(UP);

  beforeAll(async () => {
    database = await createPortal({ engine, shape: "second", contents: "odd" });
    undisturbed = await createPortal({ engine, shape: "second", contents: "odd" });
    before = await dumpDatabase(database.location);
    upUntil = await startDying({ location: database.location, direction: "up" }, up);
  });
  afterAll(async () => {
    await database.remove();
    await undisturbed.remove();
  });

  it.each(up)("A15 leaves the portal's database as it was: up, at %s", async (dieAt) => {
    const { signal } = await upUntil(dieAt);

    expect(signal).toBe("SIGKILL");
    expect(await dumpDatabase(database.location)).toBe(before);
    await expectSound(database.location);
  });

  it("A15 leaves a database that the portal can use", async () => {
    const raw = await openRaw(database.location);
    await raw.run(`insert into "AgentSession" ("id", "repoId", "status", "updatedAt") values ('s-after', 'alpha', 'active',
      '2025-03-01 10:00:00')`);
    await raw.run(`delete from "AgentSession" where "id" = 's-after'`);
    await raw.close();
    expect(await dumpDatabase(database.location)).toBe(before);
  });

  it("A15 is completed by the next attempt", async () => {
    const reached: string[] = [];
    const steps = await (
      await openMigrations(database.location, (name) => reached.push(name))
    ).up();
    await (await openMigrations(undisturbed.location)).up();

    expect(steps.map(({ name }) => name)).toEqual(MIGRATION_NAMES);
    expect(reached).toEqual(UP);
    expect(await dumpDatabase(database.location)).toBe(await dumpDatabase(undisturbed.location));
  });

  it("A15 rolls back steps that lose no data", async () => {
    for (const { location } of [database, undisturbed]) {
      await changeSomething(location);
      for (const name of MIGRATION_NAMES.slice(3).toReversed())
        expect(await (await openMigrations(location)).down()).toEqual([
          { name, direction: "down" },
        ]);
    }
    expect(await dumpDatabase(database.location)).toBe(await dumpDatabase(undisturbed.location));
  });

  describe.each([
    { migration: "0003-search", failpoints: DOWN_SEARCH },
    { migration: "0002-sessions", failpoints: DOWN_SESSIONS },
  ])("rolling back $migration", ({ migration, failpoints }) => {
    let migrated: string;
    let downUntil: Awaited<ReturnType<typeof startDying>>;

    beforeAll(async () => {
      migrated = await dumpDatabase(database.location);
      downUntil = await startDying(
        { location: database.location, direction: "down" },
        someOf(failpoints),
      );
    });

    it.each(someOf(failpoints))("A15 leaves the database as it was: down, at %s", async (dieAt) => {
      const { signal } = await downUntil(dieAt);

      expect(signal).toBe("SIGKILL");
      expect(await dumpDatabase(database.location)).toBe(migrated);
      await expectSound(database.location);
    });

    it("A15 is completed by the next attempt", async () => {
      const reached: string[] = [];
      const steps = await (
        await openMigrations(database.location, (name) => reached.push(name))
      ).down();
      await (await openMigrations(undisturbed.location)).down();

      expect(steps).toEqual([{ name: migration, direction: "down" }]);
      expect(reached).toEqual(failpoints);
      expect(await dumpDatabase(database.location)).toBe(await dumpDatabase(undisturbed.location));
    });
  });
});

async function expectSound(location: DatabaseLocation): Promise<void> {
  if (location.engine === "postgres") return; // recovery is the server's own business
  const raw = await openRaw(location);
  expect(await raw.all("pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
  await raw.close();
}

/** Gives the rollback data to carry back. */
async function changeSomething(location: DatabaseLocation): Promise<void> {
  const store = await openStore(location, { clock: () => EIGHT });
  const session = driveSession(store, { id: "s-active", now: EIGHT + 3_600_000 });
  await session.send("Go on.", { messageId: "n1", runId: "r1" });
  await store.close();
}
