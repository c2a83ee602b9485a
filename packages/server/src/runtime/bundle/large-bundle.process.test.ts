import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { repeat } from "../../domain/testing/repeat.ts";
import { addLongSession, type LongSession } from "../../storage/testing/long-session.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import type { Carried, CarryOrder } from "./testing/carry-process.ts";

const databases: TestStore[] = [];
afterEach(async () => {
  for (const database of databases.splice(0)) await database.close();
});

describe("a large bundle", () => {
  it("A13 is carried from SQLite to PostgreSQL and back unchanged, in little memory (P6)", async ({
    signal,
  }) => {
    const first = await open("sqlite");
    const second = await open("postgres");
    const third = await open("sqlite");
    const sessionId = await addLongSession(first.store, LONG);
    const through = [first, second, third].map(({ location }) => location);
    const carried = await carry({ sessionId, through }, signal);

    expect(carried).toMatchObject({
      digests: [carried.digests[0], carried.digests[0], carried.digests[0]],
      // Five messages a run, and a suspension each; the header, the session and the end.
      lines: LONG.messages * (1 + 2 / 5) + 3,
    });
    expect(carried.mebibytes).toBeGreaterThan(repeat({ short: 25, long: 50 }));
    expect(carried.heapMebibytes).toBeLessThan(15);
    expect(carried.buffersMebibytes).toBeLessThan(40);
    const page = await third.store.listSessions({ search: "word7", limit: 10 });
    expect(page.sessions.map(({ id }) => id)).toEqual([sessionId]);
  });
});

const LONG: LongSession = {
  messages: repeat({ short: 1_250, long: 2_500 }),
  longLength: 200_000,
};

async function open(engine: "sqlite" | "postgres"): Promise<TestStore> {
  const database = await openTestStore(engine);
  databases.push(database);
  return database;
}

async function carry(order: CarryOrder, signal: AbortSignal): Promise<Carried> {
  const program = fileURLToPath(new URL("./testing/carry-process.ts", import.meta.url));
  const args = ["--expose-gc", program, JSON.stringify(order)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { signal });
  const carried: Carried = JSON.parse(stdout);
  return carried;
}
