import { afterEach, describe, expect, it } from "vitest";
import { openMigrations } from "../open-store.ts";
import { openRaw } from "../testing/raw-database.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { downOver } from "./testing/down-over.ts";
import { dumpDatabase } from "./testing/dump-database.ts";

let database: TestDatabase;
afterEach(() => database.remove());

async function add(scopes: readonly string[]): Promise<void> {
  const raw = await openRaw(database.location);
  for (const scope of scopes) {
    await raw.run(
      `insert into "AccessToken" ("id", "name", "scope", "digest", "createdAt", "sessionId")
       values ('t-${scope}', 'n', '${scope}', 'd-${scope}', 1, null)`,
    );
    await raw.run(
      `insert into "Browser" ("id", "scope", "userAgent", "digest", "createdAt", "lastUsedAt", "expiresAt")
       values ('b-${scope}', '${scope}', 'u', 'd-${scope}', 1, 2, 3)`,
    );
  }
  await raw.close();
}

async function scopes(): Promise<Readonly<Record<string, unknown>>> {
  const raw = await openRaw(database.location);
  const rows = await raw.all(
    `select "id", "scope" from "AccessToken" union all select "id", "scope" from "Browser" order by 1`,
  );
  await raw.close();
  return Object.fromEntries(rows.map(({ id, scope }) => [id, scope]));
}

describe.each(["sqlite", "postgres"] as const)("0026-approve on %s", (engine) => {
  it("A15: keeps the rights of tokens and browsers, and gives none to those made since when it is rolled back", async () => {
    database = await createTestDatabase(engine);
    const migrations = await openMigrations(database.location);
    await migrations.up();
    await downOver(database.location, "0026-approve");
    await add(["read", "send", "admin"]);
    const before = await dumpDatabase(database.location);

    await migrations.up();
    const kept = { "t-read": "read", "t-send": "approve", "t-admin": "admin" };
    const signedIn = { "b-read": "read", "b-send": "approve", "b-admin": "admin" };
    expect(await scopes()).toEqual({ ...kept, ...signedIn });

    await downOver(database.location, "0026-approve");
    expect(await dumpDatabase(database.location)).toBe(before);

    await migrations.up();
    const raw = await openRaw(database.location);
    for (const table of ["AccessToken", "Browser"]) await raw.run(`delete from "${table}"`);
    await raw.close();
    await add(["read", "send", "approve", "admin"]);
    await downOver(database.location, "0026-approve");
    expect(await scopes()).toEqual({
      "t-read": "read",
      "t-send": "read",
      "t-approve": "send",
      "t-admin": "admin",
      "b-read": "read",
      "b-send": "read",
      "b-approve": "send",
      "b-admin": "admin",
    });
  });
});
