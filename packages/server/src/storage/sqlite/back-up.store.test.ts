import { randomUUID } from "node:crypto";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openMigrations } from "../open-store.ts";
import { beginSession } from "../testing/session-driver.ts";
import { backUp } from "./back-up.ts";
import { mountMemory } from "./testing/small-disk.ts";
import { addRepo, migratedFile, openTestFile, temporaryFolder } from "./testing/test-file.ts";

describe("a backup", () => {
  it("is a complete snapshot while others write, and readable by the owner only", async () => {
    const file = await migratedFile();
    const store = await openTestFile(file);
    const session = await beginSession(store, { repoId: await addRepo(store) });
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; !isOver && n < 300; n += 1)
        await session.send(`message ${n}`, { messageId: randomUUID() });
    })();
    writing.catch(() => {});
    const folder = temporaryFolder();
    const targets = ["one.db", "two.db", "three.db"].map((name) => path.join(folder, name));
    const counts: number[] = [];
    for (const target of targets) {
      const done = await backUp(file, target);
      if (!done.ok) throw new Error(done.refused);
      counts.push(done.tables.find(({ table }) => table === "AgentMessage")?.rows ?? -1);
      expect(statSync(target)).toMatchObject({ size: done.bytes });
      expect(statSync(target).mode & 0o777).toBe(0o600);
    }
    isOver = true;
    await writing;
    expect(counts).toEqual(counts.toSorted((left, right) => left - right));
    // A single file without a write-ahead log.
    expect(readdirSync(folder).toSorted()).toEqual(["one.db", "three.db", "two.db"]);
    for (const target of targets) {
      const status = await (await openMigrations({ engine: "sqlite", file: target })).status();
      expect(status.every(({ executedAt }) => executedAt !== null)).toBe(true);
      const copy = await openTestFile(target);
      expect((await copy.load(session.id)).found).toBe("session");
    }
  });

  it("is refused for an existing file, a missing folder and a missing database", async () => {
    const file = await migratedFile();
    const folder = temporaryFolder();
    const taken = path.join(folder, "taken");
    writeFileSync(taken, "precious");
    const refused = (code: string) => ({ ok: false, refused: code });
    expect(await backUp(file, taken)).toEqual(refused("target_exists"));
    expect(await backUp(file, path.join(folder, "no", "b.db"))).toEqual(refused("folder_missing"));
    expect(await backUp(path.join(folder, "none.db"), path.join(folder, "b.db"))).toEqual(
      refused("source_missing"),
    );
    expect(readdirSync(folder)).toEqual(["taken"]);
  });

  it("is not made of a damaged database, and leaves no file", async () => {
    const file = await migratedFile();
    writeFileSync(file, "not a database at all");
    const folder = temporaryFolder();
    await expect(backUp(file, path.join(folder, "b.db"))).rejects.toMatchObject({
      name: "StorageFault",
      code: "database_corrupt",
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("leaves no file on a disk that is too small for it", async () => {
    const file = await migratedFile();
    const { folder, unmount } = mountMemory("size=64k");
    onTestFinished(unmount);
    await expect(backUp(file, path.join(folder, "b.db"))).rejects.toMatchObject({
      name: "StorageFault",
      code: "disk_full",
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});
