import { downOver } from "./testing/down-over.ts";
import { afterEach, describe, expect, it } from "vitest";
import { openMigrations, openStore } from "../open-store.ts";
import { openRaw } from "../testing/raw-database.ts";
import { beginSession, COMPLETED, NOON, type SessionDriver } from "../testing/session-driver.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";

let database: TestDatabase;
afterEach(() => database.remove());

/** Sends a message, runs it with the provider and ends the run. Returns the run's ID. */
async function run(
  session: SessionDriver,
  { provider, model, data }: { provider: string; model: string | null; data: string },
): Promise<string> {
  const start = { provider, model, handed: false };
  const { runId } = await session.send("Go.", { start });
  await session.perform({
    type: "record-resume",
    provider,
    supportsResume: true,
    resumeData: { session: data },
  });
  await session.perform({ type: "hand-run", runId });
  await session.perform({ type: "end-run", runId, result: COMPLETED, usage: null });
  return runId;
}

describe.each(["sqlite", "postgres"] as const)("0011-last-agent on %s", (engine) => {
  async function rows() {
    const raw = await openRaw(database.location);
    const all = await raw.all(
      `select "id", cast("resumeData" as text) as "resumeData" from "AgentSession" order by "id"`,
    );
    await raw.close();
    return Object.fromEntries(all.map(({ id, resumeData }) => [id, resumeData]));
  }
  const open = () => openStore(database.location, { clock: () => NOON });

  it("A15, A10: gives the one resume data of 0.1 to the provider that recorded it, and takes it back", async () => {
    database = await createTestDatabase(engine);
    const migrations = await openMigrations(database.location);
    await migrations.up();
    const store = await open();
    await store.addRepo({ id: "repo", path: "/repo", name: "repo", createdAt: NOON });
    const two = await beginSession(store, { id: "two", repoId: "repo", at: NOON });
    await run(two, { provider: "a", model: "a1", data: "s-a" });
    const last = await run(two, { provider: "b", model: "b1", data: "s-b" });
    await beginSession(store, { id: "new", at: NOON });
    const odd = await beginSession(store, { id: "odd", at: NOON });
    await odd.perform({ type: "update", changes: { title: "from the portal" } });
    await store.close();
    const raw = await openRaw(database.location);
    await raw.run(`update "AgentSession" set "resumeData" = '{"id": "r1"}' where "id" = 'odd'`);
    await raw.close();

    await downOver(database.location, "0011-last-agent");
    const before = {
      new: null,
      odd: '{"id": "r1"}',
      two: '{"provider":"b","data":{"session":"s-b"}}',
    };
    expect(await rows()).toEqual(before);

    await migrations.up();
    const again = await open();
    const loaded = await again.load("two");
    expect(loaded.found === "session" && loaded.stored.session).toMatchObject({
      lastRun: { provider: "b", model: "b1" },
      supportsResume: true,
      resumeData: [{ provider: "b", data: { session: "s-b" }, seen: last }],
    });
    const unknown = await again.load("odd");
    expect(unknown.found === "session" && unknown.stored.session).toMatchObject({
      lastRun: null,
      resumeData: [{ provider: null, data: { id: "r1" }, seen: null }],
    });
    await again.close();
    await downOver(database.location, "0011-last-agent");
    expect(await rows()).toEqual(before);
  });
});
