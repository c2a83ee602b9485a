import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../open-store.ts";
import type { Store } from "../../store.ts";
import { driveSession, NOON, textOf } from "../session-driver.ts";
import type { SharedStore } from "./shared-store.ts";

/** Two processes on one database. */
export function nodesContract(shared: SharedStore): void {
  describe("two stores on one database", () => {
    let second: Store | null = null;
    beforeAll(async () => {
      second = await openStore(shared.location, { clock: () => NOON });
    });
    afterAll(() => second?.close());
    const other = (): Store => {
      if (second === null) throw new Error("the store is opened by the tests, not by the group");
      return second;
    };

    it("see each other's commits as soon as these return", async () => {
      const session = await shared.begin({ title: "Here" });
      const elsewhere = driveSession(other(), session);
      expect(await elsewhere.stored()).toEqual(await session.stored());
      const sent = await elsewhere.run("From yonder.");
      expect((await session.messages()).map(({ content }) => content)).toEqual([
        textOf("From yonder."),
      ]);
      await session.end(sent);
      expect(await elsewhere.log()).toEqual(await session.log());
      expect((await other().listSessions({ limit: 1, search: "yonder" })).total).toBe(1);
    });

    it("cannot both commit on the same version", async () => {
      for (let round = 0; round < 10; round += 1) {
        const session = await shared.begin();
        const before = await session.stored();
        const events = [{ type: "session.archived", at: session.now + 1 } as const];
        const committed = await Promise.all(
          [shared.store, other()].map((store) => store.commit({ before, events })),
        );
        expect(committed.filter(({ ok }) => ok)).toHaveLength(1);
        expect(committed.filter(({ ok }) => !ok)).toEqual([{ ok: false, refused: "conflict" }]);
      }
    });

    it("C5 store every commit once when both write to one session concurrently", async () => {
      const session = await shared.begin();
      const elsewhere = driveSession(other(), session);
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => {
          const driver = n % 2 === 0 ? session : elsewhere;
          return driver.perform({ type: "update", changes: { metadata: { [`key${n}`]: n } } });
        }),
      );
      const stored = await session.stored();
      expect(stored).toMatchObject({ version: 21, lastSeq: 21 });
      expect(Object.keys(stored.session.metadata)).toHaveLength(20);
      expect((await session.log()).map(({ seq }) => seq)).toEqual(
        Array.from({ length: 21 }, (_, n) => n + 1),
      );
    });

    it("P2 never own a session both", async () => {
      const sessions = await Promise.all(Array.from({ length: 40 }, () => shared.begin()));
      const nodes = [
        { name: "here", store: shared.store },
        { name: "there", store: other() },
      ];
      for (const { name, store } of nodes) await store.renewLease({ node: name, ttlMs: 60_000 });
      const claims = await Promise.all(
        sessions.map(({ id }) =>
          Promise.all(nodes.map(({ name, store }) => store.claim({ sessionId: id, node: name }))),
        ),
      );
      expect(claims.filter((pair) => pair.filter(({ ok }) => ok).length !== 1)).toEqual([]);
    });
  });
}
