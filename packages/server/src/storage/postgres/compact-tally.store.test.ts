import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRaw, type RawDatabase } from "../testing/raw-database.ts";
import { beginSession } from "../testing/session-driver.ts";
import { openTestStore, type TestStore } from "../testing/test-database.ts";
import { openPostgresConnection } from "./connection.ts";
import { compactTally } from "./compact-tally.ts";

const REPOS = ["r1", "r2"];

let test: TestStore;
let raw: RawDatabase;
let connection: ReturnType<typeof openPostgresConnection>;
beforeEach(async () => {
  test = await openTestStore("postgres");
  raw = await openRaw(test.location);
  if (test.location.engine !== "postgres") throw new Error("unreachable: it was asked for");
  connection = openPostgresConnection(test.location.url);
  for (const id of REPOS) await test.store.addRepo({ id, path: `/${id}`, name: id, createdAt: 1 });
});
afterEach(async () => {
  await connection.db.destroy();
  await raw.close();
  await test.close();
});

const tallied = async () =>
  raw.all(
    `select "repoId", "status", sum("count")::int as "count" from "SessionTally"
      group by 1, 2 having sum("count") <> 0 order by 1, 2`,
  );
const counted = async () =>
  raw.all(
    `select coalesce("repoId", '') as "repoId", "status", count(*)::int as "count" from "AgentSession"
      where "setAside" = 0 group by 1, 2 order by 1, 2`,
  );
const rowsOf = async (folded: 0 | 1): Promise<number> =>
  (await raw.all(`select 1 from "SessionTally" where "folded" = ${folded}`)).length;

/** Creates a session, changes it and perhaps deletes it. */
async function live(index: number): Promise<void> {
  const session = await beginSession(test.store, {
    id: `s${index}`,
    repoId: REPOS[index % 3] ?? null,
  });
  if (index % 2 === 0) await session.perform({ type: "archive" });
  if (index % 5 === 0) await session.perform({ type: "delete" });
}

describe("the counts of sessions on PostgreSQL", () => {
  it("are correct while sessions are created, changed and deleted, and are compacted concurrently", async () => {
    let isOver = false;
    const fold = async (): Promise<void> => {
      while (!isOver) await compactTally(connection.db);
    };
    const folding = [fold(), fold()];
    await Promise.all(Array.from({ length: 60 }, (_, index) => live(index)));
    isOver = true;
    await Promise.all(folding);
    const sessions = await counted();
    expect(sessions.length).toBeGreaterThan(4);
    expect(await tallied()).toEqual(sessions);
    await compactTally(connection.db);
    expect(await tallied()).toEqual(sessions);
    expect([await rowsOf(0), await rowsOf(1)]).toEqual([0, sessions.length]);
    expect(await test.store.listSessions({ limit: 1, repoId: "r1" })).toMatchObject({
      total: sessions
        .filter(({ repoId }) => repoId === "r1")
        .reduce((sum, { count }) => sum + Number(count), 0),
    });
  });

  it("leave out quarantined and deleted sessions", async () => {
    await live(1);
    await raw.run(`update "AgentSession" set "setAside" = 1`);
    expect(await tallied()).toEqual([]);
    await raw.run(`update "AgentSession" set "setAside" = 0`);
    expect(await tallied()).toEqual(await counted());
    await test.store.deleteSessions(["s1"]);
    await compactTally(connection.db);
    expect([await rowsOf(0), await rowsOf(1)]).toEqual([0, 0]);
  });
});
