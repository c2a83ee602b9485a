import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findDatabaseDamage, openMigrations, openStore } from "../../open-store.ts";
import { beginSession } from "../../testing/session-driver.ts";
import { backUp } from "../back-up.ts";
import { damagePage } from "../testing/damage-page.ts";

let folder: string;
let location: { readonly engine: "sqlite"; readonly file: string };
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-test-"));
  location = { engine: "sqlite", file: path.join(folder, "holdfast.db") };
  await (await openMigrations(location)).up();
  const store = await openStore(location, { clock: Date.now });
  await beginSession(store, { id: "one", title: "One" });
  await store.close();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hash = (): string => createHash("sha256").update(readFileSync(location.file)).digest("hex");
const slowly = { slowly: new AbortController().signal };

describe("the check for damage", () => {
  it("finds nothing in a good database, at once and slowly", async () => {
    expect(await findDatabaseDamage(location)).toEqual([]);
    expect(await findDatabaseDamage(location, slowly)).toEqual([]);
  });

  it("names the table of a damaged page, also if nobody reads that table, and changes nothing", async () => {
    damagePage(location.file, "SessionEvent");
    const before = hash();
    const damage = await findDatabaseDamage(location);
    expect(damage).toEqual([expect.stringMatching(/^SessionEvent: /u)]);
    expect(await findDatabaseDamage(location, slowly)).toEqual(damage);
    expect(hash()).toBe(before);
  });

  it("ends when it is aborted", async () => {
    const stopping = new AbortController();
    const check = findDatabaseDamage(location, { slowly: stopping.signal });
    stopping.abort();
    await expect(check).rejects.toMatchObject({ name: "AbortError" });
  });

  it("keeps a damaged database from being backed up over the evidence", async () => {
    damagePage(location.file, "SessionEvent");
    const before = hash();
    const target = path.join(folder, "backup.db");
    await expect(backUp(location.file, target)).rejects.toMatchObject({
      code: "database_corrupt",
    });
    expect([existsSync(target), hash()]).toEqual([false, before]);
  });
});
