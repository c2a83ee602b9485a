import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openMigrations } from "../open-store.ts";
import { beginSession } from "../testing/session-driver.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";
import { reserveBeside } from "./reserve.ts";
import { fillUp, mountMemory } from "./testing/small-disk.ts";
import { addRepo, temporaryFolder } from "./testing/test-file.ts";

const RESERVED = 4 * 1024 * 1024;

/** The writer checks once a second. */
const soon = { timeout: 200_000, interval: 20 };

async function onDisk(size: string) {
  const { folder, unmount } = mountMemory(`size=${size}`);
  onTestFinished(unmount);
  const file = path.join(folder, "holdfast.db");
  await (await openMigrations({ engine: "sqlite", file })).up();
  const store = await openSqliteStore({ file, clock: Date.now });
  onTestFinished(() => store.close());
  store.onOutsideWrites(() => {});
  const ballast = path.join(folder, "ballast");
  return {
    file,
    store,
    fill: () => fillUp(ballast),
    free: () => rmSync(ballast),
  };
}

describe("a disk that is full", () => {
  it("still allows deleting sessions one by one, and no other write uses the reserve (C5)", async () => {
    const { file, store, fill, free } = await onDisk("24m");
    const repoId = await addRepo(store);
    const sessions = await Promise.all(
      ["a", "b", "c"].map((id) => beginSession(store, { id, repoId })),
    );
    for (const session of sessions) await session.send("x".repeat(300_000));
    await vi.waitFor(() => expect(statSync(`${file}-reserve`).size).toBe(RESERVED), soon);
    fill();
    const full = { name: "StorageFault", code: "disk_full" };
    await expect(sessions[0]?.send("y".repeat(3_000_000))).rejects.toMatchObject(full);
    expect(existsSync(`${file}-reserve`)).toBe(true);

    for (const session of sessions.slice(0, 2)) {
      await session.perform({ type: "delete" });
      expect((await store.load(session.id)).found).toBe("nothing");
    }
    expect((await store.load("c")).found).toBe("session");
    free();
    await vi.waitFor(() => expect(existsSync(`${file}-reserve`)).toBe(true), soon);
    await sessions[2]?.send("z".repeat(300_000));
  });
});

describe("a reserve", () => {
  it("is taken soon after a start, also by a server without work", async () => {
    const { file } = await onDisk("24m");
    await vi.waitFor(() => expect(statSync(`${file}-reserve`).size).toBe(RESERVED), soon);
  });

  it("is readable by the owner only, and is freed completely", () => {
    const folder = temporaryFolder();
    const reserve = reserveBeside(path.join(folder, "some.db"));
    expect(reserve.release()).toBe(false);
    reserve.take();
    expect(readdirSync(folder)).toEqual(["some.db-reserve"]);
    expect(statSync(path.join(folder, "some.db-reserve")).mode & 0o777).toBe(0o600);
    reserve.takeBack();
    expect(reserve.release()).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is not taken from a disk with little space", () => {
    const { folder, unmount } = mountMemory("size=8m");
    onTestFinished(unmount);
    reserveBeside(path.join(folder, "some.db")).take();
    expect(readdirSync(folder)).toEqual([]);
  });
});
