import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { opening } from "../session-driver.ts";
import type { SharedStore } from "./shared-store.ts";

const LONG_MS = 60_000;

/** Ownership of sessions. A node that lost a session cannot write to it. */
export function leaseContract(shared: SharedStore): void {
  describe("a session's owner", () => {
    async function node(ttlMs = LONG_MS): Promise<string> {
      const name = `node-${randomUUID()}`;
      await shared.store.renewLease({ node: name, ttlMs });
      return name;
    }

    it("is the node that claimed it, until that node releases it", async () => {
      const session = await shared.begin();
      const [mine, other] = [await node(), await node()];
      expect(await session.stored()).toMatchObject({ owner: null, epoch: 0 });
      expect(await claim(session.id, mine)).toEqual({ ok: true, epoch: 1 });
      expect(await session.stored()).toMatchObject({ owner: mine, epoch: 1 });
      expect(await claim(session.id, other)).toEqual({ ok: false, owner: mine });
      expect(await claim(session.id, mine)).toEqual({ ok: true, epoch: 1 });

      expect(await shared.store.release({ sessionId: session.id, node: other, epoch: 1 })).toBe(
        false,
      );
      expect(await shared.store.release({ sessionId: session.id, node: mine, epoch: 2 })).toBe(
        false,
      );
      expect(await shared.store.release({ sessionId: session.id, node: mine, epoch: 1 })).toBe(
        true,
      );
      expect(await shared.store.release({ sessionId: session.id, node: mine, epoch: 1 })).toBe(
        false,
      );
      expect(await session.stored()).toMatchObject({ owner: null, epoch: 1 });
      expect(await claim(session.id, other)).toEqual({ ok: true, epoch: 2 });
    });

    it("is replaced by the node that knows that its process is dead, and by no other (D4)", async () => {
      const session = await shared.begin();
      const [dead, next, other] = [await node(), await node(), await node()];
      const { epoch } = await session.claim(dead);
      const sessionId = session.id;
      expect(await shared.store.claim({ sessionId, node: other, from: next })).toEqual({
        ok: false,
        owner: dead,
      });
      expect(await shared.store.claim({ sessionId, node: next, from: dead })).toEqual({
        ok: true,
        epoch: epoch + 1,
      });
      expect(await claim(sessionId, other)).toEqual({ ok: false, owner: next });
    });

    it("P3 is replaced when its lease has expired, and its writes are refused from then on", async () => {
      const session = await shared.begin();
      const sent = await session.run();
      const [old, next] = [await node(), await node()];
      const fence = await session.claim(old);
      await session.put(sent, opening(`said-${session.id}`));
      expect(await shared.store.renewLease({ node: old, ttlMs: -1 })).toBe(true);

      expect(await claim(session.id, next)).toEqual({ ok: true, epoch: fence.epoch + 1 });

      expect(await session.put(sent, opening(`late-${session.id}`))).toEqual({
        ok: false,
        refused: "fenced",
      });
      const committed = await session.attempt(
        { type: "update", changes: { title: "late" } },
        { fence },
      );
      expect(committed).toEqual({ ok: false, refused: "fenced" });
      expect(await shared.store.release({ sessionId: session.id, ...fence })).toBe(false);
      expect(await session.stored()).toMatchObject({
        owner: next,
        epoch: 2,
        session: { title: null },
      });
      expect(await session.messages()).toHaveLength(2);
    });

    it("may be the same node again after its lease expired, in a new epoch", async () => {
      const session = await shared.begin();
      const name = await node(0);
      expect(await claim(session.id, name)).toEqual({ ok: true, epoch: 1 });
      expect(await claim(session.id, name)).toEqual({ ok: true, epoch: 2 });
      await shared.store.renewLease({ node: name, ttlMs: LONG_MS });
      expect(await claim(session.id, name)).toEqual({ ok: true, epoch: 2 });
    });

    it("learns from its renewal whether the lease had expired in between", async () => {
      const name = `node-${randomUUID()}`;
      expect(await shared.store.renewLease({ node: name, ttlMs: LONG_MS })).toBe(true);
      expect(await shared.store.renewLease({ node: name, ttlMs: -1 })).toBe(true);
      expect(await shared.store.renewLease({ node: name, ttlMs: LONG_MS })).toBe(false);
      expect(await shared.store.renewLease({ node: name, ttlMs: LONG_MS })).toBe(true);
    });

    it("is free at once when it drops its lease", async () => {
      const session = await shared.begin();
      const [mine, other] = [await node(), await node()];
      await claim(session.id, mine);
      expect(await claim(session.id, other)).toEqual({ ok: false, owner: mine });
      await shared.store.dropLease(mine);
      expect(await claim(session.id, other)).toEqual({ ok: true, epoch: 2 });
    });

    it("is returned with the validity of its lease", async () => {
      const session = await shared.begin();
      expect(await shared.store.ownerOf(session.id)).toBeNull();
      expect(await shared.store.ownerOf(randomUUID())).toBeNull();
      const mine = await node();
      await claim(session.id, mine);
      expect(await shared.store.ownerOf(session.id)).toEqual({ node: mine, alive: true });
      await shared.store.renewLease({ node: mine, ttlMs: -1 });
      expect(await shared.store.ownerOf(session.id)).toEqual({ node: mine, alive: false });
      await shared.store.dropLease(mine);
      expect(await shared.store.ownerOf(session.id)).toEqual({ node: mine, alive: false });
    });

    it("cannot be the owner of a session that does not exist", async () => {
      expect(await claim(randomUUID(), await node())).toEqual({ ok: false, owner: null });
    });

    it("P2 is exactly one of two nodes that want the same hundred sessions", async () => {
      const sessions = await Promise.all(Array.from({ length: 100 }, () => shared.begin()));
      const nodes = [await node(), await node()];
      const claims = await Promise.all(
        sessions.map(({ id }) => Promise.all(nodes.map((name) => claim(id, name)))),
      );
      const winners = claims.map((pair) => nodes.filter((_, index) => pair[index]?.ok));
      expect(winners.filter((won) => won.length !== 1)).toEqual([]);
      const owners = await Promise.all(
        sessions.map(async (session) => (await session.stored()).owner),
      );
      expect(owners).toEqual(winners.flat());
      expect(claims.flat().filter((one) => one.ok && one.epoch !== 1)).toEqual([]);
    });

    function claim(sessionId: string, name: string) {
      return shared.store.claim({ sessionId, node: name });
    }
  });
}
