import { afterEach, describe, expect, it } from "vitest";
import { openMigrations, openStore, type DatabaseLocation } from "../open-store.ts";
import { openRaw } from "../testing/raw-database.ts";
import { beginSession } from "../testing/session-driver.ts";
import { createTestDatabase, type Engine, type TestDatabase } from "../testing/test-database.ts";
import { dumpDatabase } from "./testing/dump-database.ts";
import { MIGRATION_NAMES as ALL, NEWEST_MIGRATION as NEWEST } from "./testing/migration-names.ts";
import { startMigration } from "./testing/start-migration.ts";

const UP = ALL.map((name) => ({ name, direction: "up" }));
const databases: TestDatabase[] = [];

afterEach(async () => {
  for (const database of databases.splice(0)) await database.remove();
});

describe.each(["sqlite", "postgres"] as const)("migrations of %s", (engine) => {
  it("A15 go up, step by step down to an empty database, and up again to the same schema", async () => {
    const location = await emptyDatabase(engine);
    const migrations = await openMigrations(location);

    expect(await migrations.up()).toEqual(UP);
    const schema = await dumpDatabase(location);
    for (const name of ALL.toReversed()) {
      expect(await migrations.down()).toEqual([{ name, direction: "down" }]);
    }
    expect(await tablesOf(location)).toEqual(["HoldfastMigration", "HoldfastMigrationLock"]);
    expect(await migrations.down()).toEqual([]);
    expect(await migrations.up()).toEqual(UP);
    expect(await dumpDatabase(location)).toBe(schema);
  });

  it("A15 continue after the clock was set back between two of them", async () => {
    const location = await emptyDatabase(engine);
    const migrations = await openMigrations(location);
    await migrations.up();
    await migrations.down();
    await setBack(location, "0003-search");

    expect(await migrations.up()).toEqual([{ name: NEWEST, direction: "up" }]);
    await setBack(location, NEWEST);
    expect(await migrations.down()).toEqual([{ name: NEWEST, direction: "down" }]);
    expect(await migrations.up()).toEqual([{ name: NEWEST, direction: "up" }]);
  });

  it("A15 do nothing when none is pending", async () => {
    const location = await emptyDatabase(engine);
    const migrations = await openMigrations(location);
    await migrations.up();
    const before = await dumpDatabase(location);

    expect(await migrations.up()).toEqual([]);
    expect(await dumpDatabase(location)).toBe(before);
  });

  it("A15 report which of them have run, and when", async () => {
    const migrations = await openMigrations(await emptyDatabase(engine));
    const pending = { executedAt: null };
    const done = { executedAt: expect.any(Date) };

    expect(await migrations.status()).toEqual(ALL.map((name) => ({ name, ...pending })));
    const startedAt = Date.now();
    await migrations.up();
    const status = await migrations.status();
    expect(status).toEqual(ALL.map((name) => ({ name, ...done })));
    for (const { executedAt } of status)
      expect(executedAt?.getTime()).toBeGreaterThanOrEqual(startedAt);
    await migrations.down();
    expect(await migrations.status()).toEqual(
      ALL.map((name) => ({ name, ...(name === NEWEST ? pending : done) })),
    );
  });

  it.each([1, 2])(
    "A15 run once when two processes start them at the same moment, round %i",
    async () => {
      const location = await emptyDatabase(engine);
      const order = { location, direction: "up", dieAt: null } as const;
      const [first, second] = await Promise.all([startMigration(order), startMigration(order)]);

      const ends = await Promise.all([first(), second()]);

      expect(ends.map(({ stderr }) => stderr)).toEqual(["", ""]);
      expect(ends.map(({ steps }) => JSON.stringify(steps)).toSorted()).toEqual(
        ["[]", JSON.stringify(UP)].toSorted(),
      );
      const alone = await emptyDatabase(engine);
      await (await openMigrations(alone)).up();
      expect(await dumpDatabase(location)).toBe(await dumpDatabase(alone));
    },
  );

  it("A15 refuse every operation on a database that a newer program has migrated", async () => {
    const location = await emptyDatabase(engine);
    const migrations = await openMigrations(location);
    await migrations.up();
    await note(location, "0099-tomorrow");
    const before = await dumpDatabase(location);
    const tooNew = {
      name: "StorageFault",
      code: "schema_too_new",
      message: expect.stringMatching(/^.*0099-tomorrow.*$/u),
    };

    await expect(migrations.up()).rejects.toMatchObject(tooNew);
    await expect(migrations.down()).rejects.toMatchObject(tooNew);
    await expect(openStore(location, { clock: Date.now })).rejects.toMatchObject(tooNew);
    expect(await dumpDatabase(location)).toBe(before);
    expect((await migrations.status()).at(-1)).toEqual({
      name: "0099-tomorrow",
      executedAt: new Date(0),
    });
  });

  it("A15 are required by a store when some are pending", async () => {
    const location = await emptyDatabase(engine);
    const migrations = await openMigrations(location);
    const lacking = (name: string) => ({
      name: "StorageFault",
      code: "schema_too_old",
      message: expect.stringMatching(new RegExp(`^.*${name}.*holdfast db migrate$`, "u")),
    });

    await expect(openStore(location, { clock: Date.now })).rejects.toMatchObject(
      lacking("0001-portal"),
    );
    await migrations.up();
    await migrations.down();
    await expect(openStore(location, { clock: Date.now })).rejects.toMatchObject(lacking(NEWEST));
    await migrations.up();
    await (await openStore(location, { clock: Date.now })).close();
  });
});

describe.each(["sqlite", "postgres"] as const)("0013-errors on %s", (engine) => {
  it("ruling 22: keeps errors that were stored without a time, and counts them all", async () => {
    const location = await emptyDatabase(engine);
    const migrations = await openMigrations(location);
    await migrations.up();
    const store = await openStore(location, { clock: Date.now });
    const session = await beginSession(store);
    for (const id of ["e1", "e2"])
      await session.perform({ type: "update", changes: {}, error: { id, text: "oops" } });
    await store.close();
    let undone: string | undefined;
    while (undone !== "0013-errors") undone = (await migrations.down())[0]?.name;
    await migrations.up();

    const again = await openStore(location, { clock: Date.now });
    expect(await again.readSession(session.id)).toMatchObject({
      record: { errorCount: 2, errorTotal: 2, lastError: { id: "e2", text: "oops", at: null } },
    });
    await again.close();
  });
});

async function emptyDatabase(engine: Engine): Promise<DatabaseLocation> {
  const database = await createTestDatabase(engine);
  databases.push(database);
  return database.location;
}

/** Makes the migration look much older than the others. */
async function setBack(location: DatabaseLocation, migration: string): Promise<void> {
  const raw = await openRaw(location);
  await raw.run(
    `update "HoldfastMigration" set "timestamp" = '2001-01-01T00:00:00.000Z' where "name" = '${migration}'`,
  );
  await raw.close();
}

async function note(location: DatabaseLocation, migration: string): Promise<void> {
  const raw = await openRaw(location);
  await raw.run(
    `insert into "HoldfastMigration" values ('${migration}', '1970-01-01T00:00:00.000Z')`,
  );
  await raw.close();
}

async function tablesOf(location: DatabaseLocation): Promise<readonly string[]> {
  const raw = await openRaw(location);
  const rows = await raw.all(
    location.engine === "sqlite"
      ? `select name from sqlite_master where type <> 'index' order by name`
      : `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  await raw.close();
  return rows.map(({ name }) => String(name));
}
