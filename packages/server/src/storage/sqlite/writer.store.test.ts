import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { cpSync, rmSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Change, StoredSession } from "../ports/session-store.ts";
import { beginSession, textOf } from "../testing/session-driver.ts";
import {
  addRepo,
  expectFault,
  expectOneTelling,
  migratedFile,
  openTestFile,
} from "./testing/test-file.ts";
import { startWriter } from "./writer.ts";

const soon = { timeout: 100_000, interval: 5 };

describe("the writing thread", () => {
  it("may end at any moment: its current writes fail, and the next thread stores the waiting ones", async () => {
    const file = await migratedFile();
    const threads = startedThreads();
    const store = await openTestFile(file, 2_000);
    const sessions = await Promise.all(Array.from({ length: 20 }, () => beginSession(store)));
    const loaded = await Promise.all(sessions.map((session) => session.stored()));
    const other = new DatabaseSync(file);
    other.exec("begin immediate");

    const archiving = Promise.allSettled(loaded.map((before) => store.commit(archive(before))));
    await threads.at(-1)?.terminate();
    other.exec("rollback");
    other.close();

    const [lost, ...others] = await archiving;
    expect(lost).toMatchObject({ reason: { name: "StorageFault", code: "database_error" } });
    expect(others).toMatchObject(others.map(() => ({ status: "fulfilled", value: { ok: true } })));
    const statuses: string[] = [];
    for (const session of sessions) {
      statuses.push((await session.stored()).session.standing.status);
      await expectOneTelling(store, session.id);
    }
    expect(statuses).toEqual(["active", ...others.map(() => "archived")]);
  });

  it("may fail to start: the write fails with the reason, and the next one tries again", async () => {
    const file = await migratedFile();
    const store = await openTestFile(file, 2_000);
    const aside = `${file}.aside`;
    cpSync(file, aside);
    for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
    writeFileSync(file, "This is a letter to my landlord.\n".repeat(100));

    await expectFault(addRepo(store), "database_corrupt");
    for (const end of ["-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
    cpSync(aside, file);
    await addRepo(store);

    const again = await openTestFile(file);
    expect(await again.listRepos()).toHaveLength(1);
  });

  it("starts with the first change, ends when there are none for a while, and starts again with the next one", async () => {
    const file = await migratedFile();
    writeFileSync(`${file}-reserve`, "");
    const threads = startedThreads();
    const writer = startWriter({ file }, { checkEveryMs: 2 });
    onTestFinished(() => writer.close());
    const running = (): number => threads.filter(({ threadId }) => threadId >= 0).length;

    for (const name of ["a", "b"]) {
      await writer.write("addRepo", { id: name, path: `/srv/${name}`, name, createdAt: 1 });
      await expect.poll(running, soon).toBe(0);
      expect(statSync(`${file}-wal`).size).toBe(0);
    }

    expect(threads.length).toBe(2);
  });

  it("is not needed to notice writes of other processes, also of those that leave no mark", async () => {
    const file = await migratedFile();
    writeFileSync(`${file}-reserve`, "");
    const threads = startedThreads();
    const writer = startWriter({ file }, { checkEveryMs: 2 });
    onTestFinished(() => writer.close());
    let notices = 0;
    writer.onOutsideWrites(() => (notices += 1));
    await writer.write("dropOtherLeases", "n1", { durable: false });
    const other = new DatabaseSync(file);
    onTestFinished(() => other.close());

    other.exec(
      `insert into "Repo" ("id", "path", "name", "createdAt") values ('r', '/srv/r', 'r', 1)`,
    );
    await expect.poll(() => notices, soon).toBe(1);
    other.exec("pragma user_version = 12345");
    await expect.poll(() => notices, soon).toBe(2);
    await writer.close();

    expect(threads).toEqual([]);
    expect(statSync(`${file}-wal`).size).toBe(0);
  });

  it("survives a write that cannot be sent to it", async () => {
    const store = await openTestFile(await migratedFile());
    const session = await beginSession(store, { repoId: await addRepo(store) });
    // Too large for the calling thread.
    const uncloneable = Object.assign(textOf("Hello"), { toJSON: () => "x".repeat(20_000) });
    const change = { before: await session.stored(), events: [], contents: { m1: uncloneable } };

    await expect(store.commit(change)).rejects.toThrow(/could not be cloned/u);
    await session.perform({ type: "archive" });
  });

  it("rolls back a failed write, but no other write of its transaction", async () => {
    const store = await openTestFile(await migratedFile());
    const notice = { id: "taken", runId: null, role: "system", content: textOf("Hello") } as const;
    await beginSession(store, { id: "first" }, { messages: [notice] });
    const creating = Array.from({ length: 20 }, (_, index) =>
      beginSession(store, { id: `s${index}` }, index === 7 ? { messages: [notice] } : {}),
    );
    const outcomes = await Promise.allSettled(creating);

    const failed = outcomes.flatMap(({ status }, index) => (status === "rejected" ? [index] : []));
    expect(failed).toEqual([7]);
    expect(outcomes[7]).toMatchObject({ reason: { code: "constraint_broken" } });
    expect(await store.load("s7")).toEqual({ found: "nothing" });
    expect((await store.listSessions({ limit: 1 })).total).toBe(20);
  });

  it("refuses writes beyond its limit, and after it was closed", async () => {
    const store = await openTestFile(await migratedFile());
    const session = await beginSession(store);
    const writes = Array.from({ length: 10_300 }, () => store.dropLease("nobody"));
    const outcomes = await Promise.allSettled(writes);
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === "rejected" ? [outcome.reason] : [],
    );

    expect(refused.length).toBe(299);
    expect(refused[0]).toMatchObject({ name: "StorageFault", code: "writes_overflow" });
    await store.close();
    await expectFault(store.deleteSessions([session.id]), "store_closed");
  });
});

function archive(before: StoredSession): Change {
  return { before, events: [{ type: "session.archived", at: before.session.updatedAt }] };
}

/** The threads that are started from now on, until the test ends. */
function startedThreads(): readonly Worker[] {
  const threads: Worker[] = [];
  const note = (message: unknown): void => {
    if (
      typeof message === "object" &&
      message !== null &&
      "worker" in message &&
      message.worker instanceof Worker
    ) {
      threads.push(message.worker);
    }
  };
  subscribe("worker_threads", note);
  onTestFinished(() => void unsubscribe("worker_threads", note));
  return threads;
}
