import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
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

  it("distinguishes a database with Holdfast's data from one without, and changes neither", async () => {
    const { location } = database;
    const before = await inspectDatabase(location);
    expect(before.holds).toBe(engine === "sqlite" ? "nothing" : "other");
    expect(before.pending[0]).toBe("0001-portal");
    expect(before).toEqual(await inspectDatabase(location));
    await migrate(location);
    expect(await inspectDatabase(location)).toMatchObject({ holds: "holdfast", pending: [] });
  });

  it("lists valid leases by name, and no expired ones, on every schema that has them", async () => {
    const { location } = database;
    await migrate(location);
    const store = await openStore(location, { clock: Date.now });
    await store.renewLease({ node: "n1", ttlMs: 600_000, about: { name: "one" } });
    await store.renewLease({ node: "an import", ttlMs: 600_000 });
    await store.renewLease({ node: "dead", ttlMs: -1, about: { name: "two" } });
    await store.close();
    const { leases } = await inspectDatabase(location);
    expect(new Map(leases.map(({ id, name }) => [id, name]))).toEqual(
      new Map([
        ["an import", null],
        ["n1", "one"],
      ]),
    );
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

describe("an inspection of a file", () => {
  it("creates no file, and does not change a foreign one", async () => {
    const { file, remove } = await newFile();
    onTestFinished(remove);
    const location = { engine: "sqlite", file } as const;
    expect(await inspectDatabase(location)).toMatchObject({ holds: "nothing", identity: null });
    expect(readdirSync(path.dirname(file))).toEqual([]);
    new DatabaseSync(file).exec("create table t (x)");
    const before = readFileSync(file);
    expect(await inspectDatabase(location)).toMatchObject({ holds: "other", leases: [] });
    expect(readdirSync(path.dirname(file))).toEqual(["holdfast.db"]);
    expect(readFileSync(file)).toEqual(before);
  });
});

describe("the identity of a database", () => {
  it("is the same under all names of a SQLite file, and differs for each copy", async () => {
    const { file, remove } = await newFile();
    onTestFinished(remove);
    const location = { engine: "sqlite", file } as const;
    const at = (name: string): DatabaseLocation => ({ engine: "sqlite", file: name });
    expect(await identifyDatabase(location)).toBeNull();
    expect(existsSync(file)).toBe(false);
    await migrate(location);
    const identity = await identifyDatabase(location);
    expect((await inspectDatabase(location)).identity).toBe(identity);
    const other = (name: string): string => path.join(path.dirname(file), name);
    symlinkSync(file, other("link.db"));
    linkSync(file, other("hard.db"));
    for (const name of ["link.db", "hard.db"])
      expect(await identifyDatabase(at(other(name)))).toBe(identity);
    copyFileSync(file, other("copy.db"));
    await backUp(file, other("backup.db"));
    for (const name of ["copy.db", "backup.db"])
      expect(await identifyDatabase(at(other(name)))).not.toBe(identity);
  });

  it("is the same under all URLs of a PostgreSQL database, also for a user with few rights", async () => {
    const { location, remove } = await createTestDatabase("postgres");
    onTestFinished(remove);
    const url = new URL(location.engine === "postgres" ? location.url : "");
    const at = (change: (other: URL) => void): DatabaseLocation => {
      const other = new URL(url);
      change(other);
      return { engine: "postgres", url: other.href };
    };
    const identity = await identifyDatabase(location);
    expect(identity).toMatch(/^postgres:\d+:\d+$/u);
    const role = `role_${url.pathname.slice(-12)}`;
    const admin = new Client({ connectionString: url.href });
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

async function newFile(): Promise<{ readonly file: string; readonly remove: () => Promise<void> }> {
  const { location, remove } = await createTestDatabase("sqlite");
  return { file: location.engine === "sqlite" ? location.file : "", remove };
}
