import { setTimeout as pause } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { calmDeadline } from "../../domain/testing/calm-clock.ts";
import { openSqliteStore } from "../sqlite/open-sqlite-store.ts";
import { migratedFile } from "../sqlite/testing/test-file.ts";
import { beginSession } from "../testing/session-driver.ts";

/** Documents that are noted, and those that are in the index. */
function countOf(file: string): { readonly noted: number; readonly indexed: number } {
  const raw = new DatabaseSync(file, { readOnly: true });
  const count = (table: string): number =>
    Number(raw.prepare(`select count(*) as "count" from "${table}"`).get()?.["count"]);
  const counts = { noted: count("SearchTodo"), indexed: count("SearchDocument") };
  raw.close();
  return counts;
}

describe("the full-text search of SQLite", () => {
  it("finds at once what was just stored, and what a command has only noted", async () => {
    const file = await migratedFile();
    const command = await openSqliteStore({ file, clock: Date.now, ownThread: false });
    for (let n = 0; n < 50; n += 1) await beginSession(command, { title: `walrus ${n}` });
    await command.close();
    expect(countOf(file)).toEqual({ noted: 50, indexed: 0 });

    const other = await openSqliteStore({ file, clock: Date.now, ownThread: false });
    const session = await beginSession(other, { title: "otter" });
    await session.perform({ type: "update", changes: { title: "walrus and otter" } });
    expect((await other.listSessions({ search: "walr", limit: 1 })).total).toBe(51);
    expect((await other.listSessions({ search: "otter", limit: 1 })).total).toBe(1);
    await session.perform({ type: "update", changes: { title: "seal" } });
    expect((await other.listSessions({ search: "otter", limit: 1 })).total).toBe(0);
    expect(countOf(file)).toEqual({ noted: 0, indexed: 51 });
    await other.close();
  });

  it("takes in what is noted while a server rests, also what was left by another process", async () => {
    const file = await migratedFile();
    const command = await openSqliteStore({ file, clock: Date.now, ownThread: false });
    for (let n = 0; n < 40; n += 1) await beginSession(command, { title: `walrus ${n}` });
    await command.close();
    const server = await openSqliteStore({ file, clock: Date.now });
    const isOver = calmDeadline(20_000);
    while (countOf(file).noted > 0 && !isOver()) await pause(20);
    expect(countOf(file)).toEqual({ noted: 0, indexed: 40 });
    await server.addRepo({ id: "repo-1", path: "/repo", name: "repo", createdAt: 0 });
    const session = await beginSession(server, { title: "otter", repoId: "repo-1" });
    await session.run("A message about seals.");
    while (countOf(file).noted > 0 && !isOver()) await pause(20);
    expect(countOf(file)).toEqual({ noted: 0, indexed: 42 });
    await server.close();
  });
});
