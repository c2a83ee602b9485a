import { describe, expect, it } from "vitest";
import { copySession, countRows } from "../raw-database.ts";
import { beginSession, opening, type SessionDriver } from "../session-driver.ts";
import { withStore, type OpenTestStore } from "./shared-store.ts";

/** A delete removes everything that belongs to a session, and nothing else. */
export function deleteContract(open: OpenTestStore): void {
  describe("deleting", () => {
    it("C8 removes a session with everything that belongs to it, from any state", async () => {
      await withStore(open, async ({ store, location, repo }) => {
        const empty = await countRows(location);
        const kept = await full(await beginSession(store, { repoId: repo.id, title: "Kept" }));
        const before = await countRows(location);
        const ways: readonly ((session: SessionDriver) => Promise<unknown>)[] = [
          async () => {},
          (session) => session.run(),
          full,
          async (session) => (await full(session)).perform({ type: "suspend", cause: "shutdown" }),
          async (session) => (await full(session)).perform({ type: "archive" }),
          async (session) => (await full(session)).perform({ type: "fail", reason: "broken" }),
        ];
        for (const way of ways) {
          const session = await beginSession(store, {
            repoId: repo.id,
            title: "Gone",
            purpose: "To go",
          });
          await way(session);
          expect(await countRows(location)).not.toEqual(before);
          expect(await session.perform({ type: "delete" })).toMatchObject({
            ok: true,
            stored: null,
          });
          expect(await countRows(location)).toEqual(before);
          expect(await store.load(session.id)).toEqual({ found: "nothing" });
          expect(await store.readSession(session.id)).toEqual({ found: "nothing" });
          expect(await session.log()).toEqual([]);
        }
        expect(await kept.stored()).toMatchObject({ session: { title: "Kept" } });
        expect((await store.listSessions({ limit: 10 })).total).toBe(1);
        expect(await store.deleteSessions([kept.id, "unknown"])).toBe(1);
        expect(await countRows(location)).toEqual(empty);
      });
    });

    it("B6 removes a thousand sessions in one call, and their counts with them", async () => {
      await withStore(open, async ({ store, location, repo }) => {
        const kept = await full(await beginSession(store, { repoId: repo.id, title: "Kept" }));
        const before = await countRows(location);
        const ids = await copySession(location, { sessionId: kept.id, times: 1000 });
        expect(await countRows(location)).toMatchObject({ AgentSession: 1001, Suspension: 1001 });
        expect(await store.listSessions({ limit: 0 })).toMatchObject({ total: 1001 });

        expect(await store.deleteSessions([...ids, "unknown"])).toBe(1000);

        expect(await countRows(location)).toEqual(before);
        const page = await store.listSessions({ limit: 10 });
        expect(page.sessions.map(({ id }) => id)).toEqual([kept.id]);
        expect(page).toMatchObject({ total: 1, counts: { active: 1, badge: 1 } });
        expect(await store.deleteSessions(ids)).toBe(0);
        expect(await store.deleteSessions([])).toBe(0);
      });
    });
  });
}

/** With at least one row in each table. */
async function full(session: SessionDriver): Promise<SessionDriver> {
  const sent = await session.run("Words to search for.");
  await session.claim();
  await session.put(sent, opening(`grows-${session.id}`, "a"), {
    put: "text",
    messageId: `grows-${session.id}`,
    text: "b",
  });
  await session.suspend(sent);
  await session.send("Queued.");
  return session;
}
