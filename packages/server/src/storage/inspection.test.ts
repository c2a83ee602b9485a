import { copyFileSync, existsSync, linkSync, readdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { backUp } from "./sqlite/back-up.ts";
import {
  identifyDatabase,
  inspectDatabase,
  openMigrations,
  openStore,
  type DatabaseLocation,
} from "./open-store.ts";
import { createTestDatabase, type TestDatabase } from "./testing/test-database.ts";

let database: TestDatabase;
const migrate = async (location: DatabaseLocation) => (await openMigrations(location)).up();

describe.each(["sqlite", "postgres"] as const)("an inspection on %s", (engine) => {
  beforeEach(async () => {
    database = await createTestDatabase(engine);
  });
  afterEach(() => database.remove());

  it("tells a database without Holdfast's data from one with it, and changes neither", async () => {
    const { location } = database;
    const before = await inspectDatabase(location);
    expect(before.holds).toBe(engine === "sqlite" ? "nothing" : "other");
    expect(before.pending[0]).toBe("0001-portal");
    expect(before).toEqual(await inspectDatabase(location));
    if (location.engine === "sqlite") {
      expect(readdirSync(path.dirname(location.file))).toEqual([]);
      new DatabaseSync(location.file).exec("create table t (x)");
      expect(await inspectDatabase(location)).toMatchObject({ holds: "other", leases: [] });
      const mode = new DatabaseSync(location.file).prepare("pragma journal_mode").get();
      expect(mode).toEqual({ journal_mode: "delete" });
    }
    await migrate(location);
    expect(await inspectDatabase(location)).toMatchObject({ holds: "holdfast", pending: [] });
  });

  it("lists the leases that hold, by name, and none that ran out, on every schema that has them", async () => {
    const { location } = database;
    await migrate(location);
    const store = await openStore(location, { clock: Date.now });
    await store.renewLease({ node: "n1", ttlMs: 600_000, about: { name: "one" } });
    await store.renewLease({ node: "an import", ttlMs: 600_000 });
    await store.renewLease({ node: "dead", ttlMs: -1, about: { name: "two" } });
    await store.close();
    const { leases } = await inspectDatabase(location);
    expect(leases.map(({ id, name }) => [id, name]).toSorted()).toEqual([
      ["an import", null],
      ["n1", "one"],
    ]);
    expect(leases.every(({ expiresInMs }) => expiresInMs > 0 && expiresInMs <= 600_000)).toBe(true);
    const migrations = await openMigrations(location);
    for (let { pending, holds } = await inspectDatabase(location); holds === "holdfast";) {
      await migrations.down();
      const next = await inspectDatabase(location);
      expect(next.pending.length).toBe(pending.length + 1);
      ({ pending, holds } = next);
    }
  });
});

describe("the identity of a database", () => {
  afterEach(() => database.remove());

  it("is the same under all names of a SQLite file, and another for each copy of it", async () => {
    database = await createTestDatabase("sqlite");
    const { location } = database;
    if (location.engine !== "sqlite") return;
    const at = (file: string): DatabaseLocation => ({ engine: "sqlite", file });
    expect(await identifyDatabase(location)).toBeNull();
    expect(existsSync(location.file)).toBe(false);
    await migrate(location);
    const identity = await identifyDatabase(location);
    expect((await inspectDatabase(location)).identity).toBe(identity);
    const other = (name: string): string => path.join(path.dirname(location.file), name);
    symlinkSync(location.file, other("link.db"));
    linkSync(location.file, other("hard.db"));
    for (const name of ["link.db", "hard.db"])
      expect(await identifyDatabase(at(other(name)))).toBe(identity);
    copyFileSync(location.file, other("copy.db"));
    await backUp(location.file, other("backup.db"));
    for (const name of ["copy.db", "backup.db"])
      expect(await identifyDatabase(at(other(name)))).not.toBe(identity);
  });

  it("is the same under all URLs of a PostgreSQL database, also for a user with few rights", async () => {
    database = await createTestDatabase("postgres");
    const { location } = database;
    if (location.engine !== "postgres") return;
    const url = new URL(location.url);
    const at = (change: (other: URL) => void): DatabaseLocation => {
      const other = new URL(url);
      change(other);
      return { engine: "postgres", url: other.href };
    };
    const identity = await identifyDatabase(location);
    expect(identity).toMatch(/^postgres:\d+:\d+$/u);
    const role = `role_${url.pathname.slice(-12)}`;
    const admin = new Client({ connectionString: location.url });
    await admin.connect();
    try {
      await admin.query(`create role ${role} login password 'secret'`);
      const same = [
        at((other) => (other.hostname = url.hostname === "localhost" ? "127.0.0.1" : "localhost")),
        at((other) => other.searchParams.set("application_name", "another")),
        at((other) => {
          other.username = role;
          other.password = "secret";
        }),
      ];
      for (const each of same) expect(await identifyDatabase(each)).toBe(identity);
    } finally {
      await admin.query(`drop role ${role}`);
      await admin.end();
    }
    const other = await createTestDatabase("postgres");
    expect(await identifyDatabase(other.location)).not.toBe(identity);
    await other.remove();
  });
});
