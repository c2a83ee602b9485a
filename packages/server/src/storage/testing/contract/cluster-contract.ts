import { setTimeout as pause } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { withStore, type OpenTestStore } from "./shared-store.ts";
import { beginSession } from "../session-driver.ts";

const LONG_MS = 60_000;

/** How nodes see each other, and how they find the sessions of a dead node. */
export function clusterContract(open: OpenTestStore): void {
  describe("the nodes on a database", () => {
    it("are listed with their own descriptions, in the order of their start", () =>
      withStore(open, async ({ store }) => {
        await store.renewLease({ node: "b", ttlMs: LONG_MS, about: { name: "first", busy: 1 } });
        await pause(5);
        await store.renewLease({ node: "a", ttlMs: -1, about: { name: "second" } });
        await store.renewLease({ node: "import", ttlMs: LONG_MS });
        await store.renewLease({ node: "b", ttlMs: LONG_MS, about: { name: "first", busy: 2 } });
        const startedAt = expect.any(Number);
        expect(await store.listNodes()).toEqual([
          { node: "b", about: { name: "first", busy: 2 }, draining: false, alive: true, startedAt },
          { node: "a", about: { name: "second" }, draining: false, alive: false, startedAt },
        ]);
        await store.forgetNodes({ deadForMs: -1_000 });
        expect((await store.listNodes()).map(({ node }) => node)).toEqual(["b"]);
        expect(await store.renewLease({ node: "import", ttlMs: LONG_MS })).toBe(true);
      }));

    it("can be drained by any node, and accept work again later", () =>
      withStore(open, async ({ store }) => {
        await store.renewLease({ node: "a", ttlMs: LONG_MS, about: {} });
        expect(await store.drainNode({ node: "a", draining: true })).toBe(true);
        await store.renewLease({ node: "a", ttlMs: LONG_MS, about: {} });
        expect(await store.listNodes()).toMatchObject([{ node: "a", draining: true }]);
        expect(await store.drainNode({ node: "a", draining: false })).toBe(true);
        expect(await store.listNodes()).toMatchObject([{ node: "a", draining: false }]);
        expect(await store.drainNode({ node: "nobody", draining: true })).toBe(false);
      }));

    it("own no more sessions together than the limit, however many claim at once", () =>
      withStore(open, async ({ store, repo }) => {
        const sessions = [];
        for (let count = 0; count < 8; count += 1)
          sessions.push(await beginSession(store, { repoId: repo.id }));
        for (const node of ["a", "b"]) await store.renewLease({ node, ttlMs: LONG_MS, about: {} });
        const claims = await Promise.all(
          sessions.map(({ id }, index) =>
            store.claim({ sessionId: id, node: index % 2 === 0 ? "a" : "b", limit: 3 }),
          ),
        );
        expect(claims.filter(({ ok }) => ok)).toHaveLength(3);
        const refused = claims.find(({ ok }) => !ok);
        expect(refused).toEqual({ ok: false, owner: null, isFull: true });
        await store.renewLease({ node: "a", ttlMs: -1, about: {} });
        await store.renewLease({ node: "b", ttlMs: -1, about: {} });
        await store.renewLease({ node: "c", ttlMs: LONG_MS, about: {} });
        const [first] = sessions;
        const again = await store.claim({ sessionId: first?.id ?? "", node: "c", limit: 3 });
        expect(again.ok).toBe(true);
      }));

    it("P3 find abandoned sessions, and none that has a live owner or no work", () =>
      withStore(open, async ({ store, repo }) => {
        const begin = () => beginSession(store, { repoId: repo.id });
        await store.renewLease({ node: "alive", ttlMs: LONG_MS, about: {} });
        await store.renewLease({ node: "dead", ttlMs: -1, about: {} });
        await begin();
        const [queued, running, seenTo, cut, waiting, due, held, left, stuck] = [
          await begin(),
          await begin(),
          await begin(),
          await begin(),
          await begin(),
          await begin(),
          await begin(),
          await begin(),
          await begin(),
        ];
        await queued.send("later");
        await running.run();
        await seenTo.run();
        await store.claim({ sessionId: seenTo.id, node: "alive" });
        await store.claim({ sessionId: cut.id, node: "dead" });
        await waiting.suspend(await waiting.run());
        await due.suspend(await due.run(), { expiresAt: 1 });
        await held.perform({ type: "update", changes: { delivery: "hold" } });
        await held.send("held");
        await left.perform({ type: "suspend", cause: "shutdown" });
        await stuck.perform({ type: "come-back", obstacle: "Its repository is gone." });
        const found = await store.abandonedSessions({ limit: 10 });
        expect(found[0]).toBe(cut.id);
        expect(found.toSorted()).toEqual(
          [queued.id, running.id, cut.id, due.id, left.id].toSorted(),
        );
        expect(await store.abandonedSessions({ limit: 1 })).toEqual([cut.id]);
      }));

    it("read the last sequence numbers of many sessions in one call", () =>
      withStore(open, async ({ store, repo }) => {
        const [one, two] = [
          await beginSession(store, { repoId: repo.id }),
          await beginSession(store, { repoId: repo.id }),
        ];
        await two.send("hello");
        const many = Array.from({ length: 1_200 }, () => randomUUID());
        const found = await store.lastSeqs([...many, one.id, two.id]);
        expect(found).toEqual(
          new Map([
            [one.id, (await one.stored())?.lastSeq],
            [two.id, (await two.stored())?.lastSeq],
          ]),
        );
        expect(await store.lastSeqs([])).toEqual(new Map());
      }));
  });
}
