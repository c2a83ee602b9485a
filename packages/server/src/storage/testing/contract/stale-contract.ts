import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { activityOf, type Session } from "../../../domain/session.ts";
import { openStore } from "../../open-store.ts";
import type { Store } from "../../store.ts";
import type { NewMessage } from "../../ports/transcript-store.ts";
import { countRows, loosen, openRaw, type RawDatabase } from "../raw-database.ts";
import { beginSession, NOON, textOf, type SessionDriver } from "../session-driver.ts";
import { withStore, type OpenTestStore } from "./shared-store.ts";

const DAY_MS = 24 * 3_600_000;
/** The first minute of a test is before this time. The next day is after it. */
const BEFORE = NOON + 60_000;

/** Cleanup of inactive sessions by age. */
export function staleContract(open: OpenTestStore): void {
  describe("stale sessions", () => {
    it("B6, ruling 17: are tracked ones, never conversations, in any state", async () => {
      await withStore(open, async ({ store, repo }) => {
        const sessions = await oneOfEach(store, repo.id);
        const expected: string[] = [];
        const conversations: string[] = [];
        for (const session of sessions) {
          const { session: stored } = await session.stored();
          if (!isAtRestSince(stored, BEFORE)) continue;
          (session.isTracked ? expected : conversations).push(session.id);
        }
        expect([expected.length, conversations.length]).toEqual([2, 5]);

        expect((await idsOf(store)).toSorted()).toEqual(expected.toSorted());
        const others = await store.staleSessions({
          kind: "conversations",
          before: BEFORE,
          limit: 100,
        });
        expect(others.sessions.map(({ id }) => id).toSorted()).toEqual(conversations.toSorted());
        expect(await store.countStale({ before: BEFORE })).toEqual({
          stale: 2,
          conversations: 5,
          archived: 2,
          busy: 3,
          queued: 1,
          owned: 0,
          unreadable: 0,
        });
        const all = sessions.map(({ id }) => id);
        const gone = await store.deleteStale({ sessionIds: [...all, "unknown"], before: BEFORE });
        expect(gone.toSorted()).toEqual(expected.toSorted());
        const left = await store.listSessions({ limit: 100 });
        expect(left.sessions.map(({ id }) => id).toSorted()).toEqual(
          all.filter((id) => !expected.includes(id)).toSorted(),
        );
        expect(await store.deleteStale({ sessionIds: all, before: BEFORE })).toEqual([]);
        expect(await store.deleteStale({ sessionIds: [], before: BEFORE })).toEqual([]);
      });
    });

    it("B6 are deleted with everything that belongs to them", async () => {
      await withStore(open, async ({ store, location }) => {
        const before = await countRows(location);
        const session = await beginSession(store, { title: "Words to find" });
        await session.perform({ type: "update", changes: {}, phase: "planning" });
        expect(await store.deleteStale({ sessionIds: [session.id], before: BEFORE })).toEqual([
          session.id,
        ]);
        expect(await countRows(location)).toEqual(before);
      });
    });

    it("B6 are counted from their last activity, to the millisecond", async () => {
      await withStore(open, async ({ store }) => {
        const { id } = await beginSession(store);
        expect(await idsOf(store, NOON)).toEqual([]);
        expect(await idsOf(store, NOON + 1)).toEqual([id]);
        expect(await store.deleteStale({ sessionIds: [id], before: NOON })).toEqual([]);
        expect(await store.deleteStale({ sessionIds: [id], before: NOON + 1 })).toEqual([id]);
      });
    });

    it("B6 come in pages, oldest first, with their descriptions", async () => {
      await withStore(open, async ({ store }) => {
        const ids = ["a", "b", "c", "d", "e"];
        for (const [index, id] of ids.entries())
          await beginSession(store, { id, at: NOON - index, agentName: "ada", title: `T ${id}` });
        const first = await store.staleSessions({ kind: "tracked", before: BEFORE, limit: 2 });
        expect(first).toEqual({
          sessions: [
            { id: "e", ...named("e"), lastActiveAt: NOON - 4, entries: 1 },
            { id: "d", ...named("d"), lastActiveAt: NOON - 3, entries: 1 },
          ],
          next: { at: NOON - 3, id: "d" },
        });
        const after = { at: NOON - 3, id: "d" };
        const rest = await store.staleSessions({
          kind: "tracked",
          before: BEFORE,
          after,
          limit: 100,
        });
        expect(rest).toMatchObject({
          sessions: [{ id: "c" }, { id: "b" }, { id: "a" }],
          next: null,
        });
      });
    });

    it("B6 are not those of a live node, until its lease expires", async () => {
      await withStore(open, async ({ store }) => {
        const session = await beginSession(store);
        await store.renewLease({ node: "node-1", ttlMs: 60_000 });
        await session.claim("node-1");
        expect(await idsOf(store)).toEqual([]);
        expect(await store.countStale({ before: BEFORE })).toMatchObject({ stale: 0, owned: 1 });
        expect(await store.deleteStale({ sessionIds: [session.id], before: BEFORE })).toEqual([]);
        await store.dropLease("node-1");
        expect(await idsOf(store)).toEqual([session.id]);
      });
    });

    it("B5 are never unreadable ones: those are quarantined and counted", async () => {
      await withStore(open, async ({ store, location }) => {
        const [good, bad] = [await beginSession(store), await beginSession(store)];
        const raw = await openRaw(location);
        await loosen(location, raw);
        await raw.run(`update "AgentSession" set "metadata" = '{oops' where "id" = '${bad.id}'`);
        await raw.close();

        expect(await idsOf(store)).toEqual([good.id]);
        expect(await store.countStale({ before: BEFORE })).toMatchObject({
          stale: 1,
          unreadable: 1,
        });
        const sessionIds = [good.id, bad.id];
        expect(await store.deleteStale({ sessionIds, before: BEFORE })).toEqual([good.id]);
        expect(await store.load(bad.id)).toMatchObject({ found: "unreadable" });
        expect(await store.listQuarantined()).toMatchObject([{ rowId: bad.id }]);
      });
    });

    it("B6 stay when they become active just before the delete", async () => {
      await withStore(open, async ({ store, location }) => {
        const [awake, calm] = [await beginSession(store), await beginSession(store)];
        const raw = await openRaw(location);
        const other = await openStore(location, { clock: Date.now });
        await raw.run(location.engine === "sqlite" ? "begin immediate" : "begin");
        await raw.run(
          `update "AgentSession" set "lastActiveAt" = ${BEFORE} where "id" = '${awake.id}'`,
        );
        const sessionIds = [awake.id, calm.id];
        const deleting = other.deleteStale({ sessionIds, before: BEFORE });
        if (location.engine === "postgres") await somebodyWaits(raw);
        await raw.run("commit");

        expect(await deleting).toEqual([calm.id]);
        expect(await awake.stored()).toMatchObject({ session: { id: awake.id } });
        await raw.close();
        await other.close();
      });
    });
  });
}

/** SQLite serializes writes. PostgreSQL has selected the rows already and checks them again. */
async function somebodyWaits(raw: RawDatabase): Promise<void> {
  for (;;) {
    const waiting = await raw.all(
      `select 1 from pg_locks join pg_database on pg_database.oid = database or database is null
        where not granted and datname = current_database()`,
    );
    if (waiting.length > 0) return;
  }
}

function named(id: string) {
  return { agentId: null, agentName: "ada", title: `T ${id}` };
}

async function idsOf(store: Store, before: number = BEFORE): Promise<readonly string[]> {
  const { sessions } = await store.staleSessions({ kind: "tracked", before, limit: 100 });
  return sessions.map(({ id }) => id);
}

/** The same rule, written a second time. */
function isAtRestSince(session: Session, before: number): boolean {
  const { standing, queue, lastActiveAt } = session;
  const isAtRest = activityOf(session).state === "idle" && queue.length === 0;
  return standing.status !== "archived" && isAtRest && lastActiveAt < before;
}

type Kinded = SessionDriver & { readonly isTracked: boolean };

/** Sessions in all states, with and without a repository, with messages, and one that is not old. */
async function oneOfEach(store: Store, repoId: string): Promise<readonly Kinded[]> {
  const ways: readonly ((session: SessionDriver) => Promise<unknown>)[] = [
    async () => {},
    async (session) => session.end(await session.run()),
    (session) => session.perform({ type: "suspend", cause: "shutdown" }),
    (session) => session.perform({ type: "fail", reason: "broken" }),
    (session) => session.perform({ type: "archive" }),
    (session) => session.run(),
    (session) => session.send("later"),
    async (session) => session.suspend(await session.run()),
    async (session) => {
      await session.suspend(await session.run());
      await session.perform({ type: "suspend", cause: "crash" });
    },
  ];
  const tracked: typeof ways = [
    async () => {},
    (session) => session.perform({ type: "archive" }),
    (session) => session.perform({ type: "fail", reason: "broken" }),
  ];
  const sessions: Kinded[] = [];
  const add = async (
    way: (session: SessionDriver) => Promise<unknown>,
    { repo, isTracked }: { readonly repo: string | null; readonly isTracked: boolean },
  ): Promise<void> => {
    const session = await beginSession(store, { repoId: repo });
    await way(session);
    sessions.push(Object.assign(session, { isTracked }));
  };
  for (const way of ways) await add(way, { repo: repoId, isTracked: false });
  for (const way of tracked) await add(way, { repo: null, isTracked: true });
  // Imported without its repository. Its messages make it a conversation.
  const said = (): NewMessage => ({
    id: randomUUID(),
    runId: null,
    role: "user",
    content: textOf("hello"),
  });
  await add(
    (session) =>
      session.perform({ type: "update", changes: { title: "T" } }, { messages: [said()] }),
    { repo: null, isTracked: false },
  );
  const young = await beginSession(store, { at: NOON + DAY_MS });
  sessions.push(Object.assign(young, { isTracked: true }));
  return sessions;
}
