import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openStore } from "../open-store.ts";
import type { Store } from "../store.ts";
import type { Hint } from "../ports/node-store.ts";
import { addRepo } from "../testing/contract/shared-store.ts";
import { beginSession, opening } from "../testing/session-driver.ts";
import { openTestStore, type TestStore } from "../testing/test-database.ts";
import { openPostgresConnection } from "./connection.ts";

let database: TestStore;
let other: Store;
let troubles: string[];
let heard: Hint[];
let ownHeard: Hint[];

beforeEach(async () => {
  database = await openTestStore("postgres");
  troubles = [];
  heard = [];
  ownHeard = [];
  other = await openStore(database.location, {
    clock: Date.now,
    onTrouble: (problem) => troubles.push(problem),
  });
  other.onOutsideWrites((hint) => heard.push(hint));
  database.store.onOutsideWrites((hint) => ownHeard.push(hint));
  await vi.waitUntil(() => heard.length > 0 && ownHeard.length > 0, 200_000);
  heard.length = 0;
  ownHeard.length = 0;
});

afterEach(async () => {
  await other.close();
  await database.close();
});

const begin = async () =>
  beginSession(database.store, { repoId: (await addRepo(database.store)).id });

describe("hints between nodes", () => {
  it("tell other nodes, but not the writer, about a commit", async () => {
    const session = await begin();
    const sent = await session.run();
    await database.store.renewLease({ node: "a", ttlMs: 60_000, about: {} });
    await session.claim("a");
    await session.put(sent, opening(`said-${session.id}`));
    database.store.call({ sessionId: session.id, node: "b" });
    await database.store.drainNode({ node: "a", draining: true });
    await database.store.deleteSessions([session.id]);
    const { id: sessionId } = session;
    await expect
      .poll(() => heard)
      .toEqual(
        expect.arrayContaining([
          { hint: "change", sessionId },
          { hint: "output", sessionId },
          { hint: "wanted", sessionId, node: "b" },
          { hint: "nodes" },
          { hint: "deleted", sessionId },
        ]),
      );
    expect(ownHeard).toEqual([]);
    expect(troubles).toEqual([]);
  });

  it("are not sent for a refused write", async () => {
    const session = await begin();
    const sent = await session.run();
    expect((await session.put(sent, opening("nothing"))).ok).toBe(false);
    database.store.call({ sessionId: "last", node: null });
    await expect
      .poll(() => heard)
      .toContainEqual({ hint: "wanted", sessionId: "last", node: null });
    expect(new Set(heard.map(({ hint }) => hint))).toEqual(new Set(["change", "wanted"]));
  });

  it("all arrive when there are many at once, in few messages", async () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `${"x".repeat(30)}${index}`);
    for (const sessionId of [...ids, ...ids]) database.store.call({ sessionId, node: null });
    await expect.poll(() => heard.length).toBeGreaterThanOrEqual(1_000);
    expect(new Set(heard.map((hint) => ("sessionId" in hint ? hint.sessionId : "")))).toEqual(
      new Set(ids),
    );
    expect(heard.length).toBeLessThan(1_100);
  });

  it("become a single hint about anything when there are too many", async () => {
    for (let index = 0; index < 12_000; index += 1)
      database.store.call({ sessionId: `session ${index}`, node: null });
    await expect.poll(() => heard).toContainEqual({ hint: "anything" });
  });

  it("C7 continue after their connection was cut, and report that some may be lost", async () => {
    if (database.location.engine !== "postgres") throw new Error("not PostgreSQL");
    const { db } = openPostgresConnection(database.location.url);
    const { rows } = await sql<{ cut: boolean }>`select pg_terminate_backend(pid) as cut
      from pg_stat_activity
      where application_name = 'holdfast-listen' and datname = current_database()`.execute(db);
    await db.destroy();
    expect(rows).toEqual([{ cut: true }, { cut: true }]);
    await expect.poll(() => heard).toContainEqual({ hint: "anything" });
    database.store.call({ sessionId: "after", node: null });
    await expect
      .poll(() => heard)
      .toContainEqual({ hint: "wanted", sessionId: "after", node: null });
  });
});
