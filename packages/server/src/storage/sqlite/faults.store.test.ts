import { closeSync, openSync, statSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { openMigrations } from "../open-store.ts";
import type { Store } from "../store.ts";
import { countRows } from "../testing/raw-database.ts";
import { beginSession, type SessionDriver } from "../testing/session-driver.ts";
import { faultFromSqlite } from "./faults.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";
import {
  limitedFile,
  mountedDisk,
  unwritableFolder,
  type SmallDisk,
} from "./testing/small-disk.ts";
import {
  addRepo,
  expectFault,
  expectOneTelling,
  migratedFile,
  openTestFile,
  temporaryFolder,
} from "./testing/test-file.ts";

describe("a store whose database another process holds", () => {
  it("fails a write as busy after its timeout, and succeeds once the other is done", async () => {
    const file = await migratedFile();
    const store = await openTestFile(file, 50);
    const session = await beginSession(store);
    const before = await countRows({ engine: "sqlite", file });
    const other = new DatabaseSync(file);
    other.exec("begin immediate");

    await expect(session.perform({ type: "archive" })).rejects.toMatchObject({
      code: "database_busy",
    });
    expect(await store.load(session.id)).toMatchObject({ stored: { version: 1 } });
    other.exec("rollback");
    other.close();

    expect(await countRows({ engine: "sqlite", file })).toEqual(before);
    await session.perform({ type: "archive" });
    await expectOneTelling(store, session.id);
  });

  it("writes as soon as the other is done, within its timeout", async () => {
    const file = await migratedFile();
    const store = await openTestFile(file, 30_000);
    const session = await beginSession(store);
    const other = new DatabaseSync(file);
    other.exec("begin immediate");
    const archived = session.perform({ type: "archive" });
    // Reads are answered meanwhile, because another thread waits.
    expect(await store.load(session.id)).toMatchObject({
      stored: { session: { standing: { status: "active" } } },
    });
    other.exec("commit");
    other.close();

    await expect(archived).resolves.toMatchObject({ ok: true });
  });
});

const disks: readonly (readonly [name: string, open: () => Promise<SmallDisk>])[] = [
  ["a file that may not grow", limitedFile],
  ["a file system that is full", mountedDisk],
];

describe.each(disks)("a store on %s", (_name, openDisk) => {
  it("fails writes without space, keeps its data, still reads, and writes again when there is space", async () => {
    const disk = await owned(openDisk());
    const { store } = disk;
    const session = await beginSession(store, { repoId: await addRepo(store) });
    await session.send("small", { messageId: "m1" });
    const before = await countRows(disk.location);
    await disk.fill();

    for (const messageId of ["m2", "m3"]) {
      const sending = session.send(BIG, { messageId });
      await expect(sending).rejects.toMatchObject({ name: "StorageFault", code: "disk_full" });
    }
    expect(await countRows(disk.location)).toEqual(before);
    expect(await queueOf(store, session)).toEqual(["m1"]);
    expect((await store.listSessions({ limit: 5 })).total).toBe(1);
    await expectOneTelling(store, session.id);

    await disk.free();
    await session.send(BIG, { messageId: "m4" });
    expect(await queueOf(store, session)).toEqual(["m1", "m4"]);
    await expectOneTelling(store, session.id);
  });

  it("has stored exactly the acknowledged writes when it fills up among many", async () => {
    const disk = await owned(openDisk());
    const { store } = disk;
    const repoId = await addRepo(store);
    const sessions = await Promise.all(
      Array.from({ length: 8 }, () => beginSession(store, { repoId })),
    );
    const outcomes = await Promise.all(sessions.map((session) => sendUntilFull(session)));

    const full = expect.objectContaining({ name: "StorageFault", code: "disk_full" });
    for (const [index, session] of sessions.entries()) {
      expect(outcomes[index]?.faults).toEqual([full, full, full]);
      expect(await queueOf(store, session)).toEqual(outcomes[index]?.sent);
      await expectOneTelling(store, session.id);
    }
    const total = outcomes.flatMap(({ sent }) => sent).length;
    expect(total).toBeGreaterThan(8);
    expect(await countRows(disk.location)).toMatchObject({
      AgentSession: 8,
      Run: total,
      QueuedMessage: total,
      SessionEvent: 8 + total,
    });
  });

  it("closes, even with pending writes that cannot be stored", async () => {
    const disk = await owned(openDisk());
    const session = await beginSession(disk.store, { repoId: await addRepo(disk.store) });
    await disk.fill();
    const sending = Promise.allSettled([session.send(BIG), session.send(BIG)]);

    await disk.store.close();

    expect((await sending).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
});

describe("a corrupt database file", () => {
  it("is reported as corrupt when it is not a database", async () => {
    const file = path.join(temporaryFolder(), "holdfast.db");
    writeFileSync(file, "This is a letter to my landlord.\n".repeat(100));

    await expectFault(openSqliteStore({ file, clock: Date.now }), "database_corrupt");
    await expectFault((await openMigrations({ engine: "sqlite", file })).up(), "database_corrupt");
  });

  it("is reported as corrupt when its end is missing", async () => {
    const file = await migratedFile();
    const store = await openSqliteStore({ file, clock: Date.now });
    for (let count = 0; count < 20; count += 1) await beginSession(store);
    await store.close();
    truncateSync(file, Math.floor(statSync(file).size / 2 / PAGE_BYTES) * PAGE_BYTES);

    await expectFault(openAndReadAll(file), "database_corrupt");
  });

  it("is reported as corrupt when a page in it was overwritten", async () => {
    const file = await migratedFile();
    const raw = new DatabaseSync(file);
    const [row] = raw
      .prepare(`select rootpage from sqlite_master where name = 'AgentSession'`)
      .all();
    raw.close();
    const handle = openSync(file, "r+");
    writeSync(
      handle,
      new Uint8Array(PAGE_BYTES).fill(0x55),
      0,
      PAGE_BYTES,
      (Number(row?.["rootpage"]) - 1) * PAGE_BYTES,
    );
    closeSync(handle);

    await expectFault(openAndReadAll(file), "database_corrupt");
  });
});

describe("a place that cannot be written", () => {
  it("is reported as unavailable when its folder is a file", async () => {
    const letter = path.join(temporaryFolder(), "letter.txt");
    writeFileSync(letter, "Dear landlord");

    for (const file of [
      path.join(letter, "holdfast.db"),
      path.join(letter, "data", "holdfast.db"),
    ]) {
      await expectFault(openSqliteStore({ file, clock: Date.now }), "database_unavailable");
      await expectFault(
        (await openMigrations({ engine: "sqlite", file })).up(),
        "database_unavailable",
      );
    }
  });

  it("is reported as read-only when the folder cannot be written", async () => {
    const { folder, remove } = unwritableFolder();
    onTestFinished(remove);
    const file = path.join(folder, "holdfast.db");

    await expect(openSqliteStore({ file, clock: Date.now })).rejects.toMatchObject({
      name: "StorageFault",
      code: expect.stringMatching(/^database_(readonly|unavailable)$/u),
    });
  });

  it("is reported as read-only when the database says so", async () => {
    const raw = new DatabaseSync(await migratedFile(), { readOnly: true });
    onTestFinished(() => raw.close());

    expect(faultOf(() => raw.exec(`delete from "Repo"`))).toMatchObject({
      code: "database_readonly",
    });
  });
});

const BIG = "x".repeat(40_000);
const PAGE_BYTES = 4096;

async function owned(opening: Promise<SmallDisk>): Promise<SmallDisk> {
  const disk = await opening;
  onTestFinished(() => disk.remove());
  return disk;
}

/** Until it has failed three times. */
async function sendUntilFull(
  session: SessionDriver,
): Promise<{ sent: string[]; faults: unknown[] }> {
  const sent: string[] = [];
  const faults: unknown[] = [];
  while (faults.length < 3 && sent.length < 100) {
    try {
      sent.push((await session.send(BIG)).messageId);
    } catch (error) {
      faults.push(error);
    }
  }
  return { sent, faults };
}

async function queueOf(store: Store, { id }: SessionDriver): Promise<readonly string[]> {
  return (await store.readQueue(id)).map(({ messageId }) => messageId);
}

function faultOf(act: () => void): unknown {
  try {
    act();
    return null;
  } catch (error) {
    return faultFromSqlite(error);
  }
}

async function openAndReadAll(file: string): Promise<void> {
  const store = await openSqliteStore({ file, clock: Date.now });
  try {
    const { sessions } = await store.listSessions({ limit: 100 });
    for (const { id } of sessions) await store.readEvents({ sessionId: id, after: 0, limit: 100 });
    await beginSession(store);
  } finally {
    await store.close();
  }
}
