import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { decide } from "../../../domain/kernel/decide.ts";
import type { SessionEvent } from "../../../domain/kernel/event.ts";
import type { Store } from "../../store.ts";
import {
  beginSession,
  createCommand,
  driveSession,
  HANDED,
  NOON,
  sendCommand,
  textOf,
} from "../session-driver.ts";
import type { SharedStore } from "./shared-store.ts";

/** What a commit stores and what it refuses. A refused commit stores nothing. */
export function commitContract(shared: SharedStore): void {
  describe("a commit", () => {
    it("A1 stores a session with its repository and messages, and all of it survives reopening", async () => {
      const session = await shared.begin({ title: "Tidy up", metadata: { b: 1, a: [true, null] } });
      const sent = await session.run("Tidy up the tests.");
      await session.perform(
        { type: "fail", reason: "out of disk" },
        { messages: [notice("n1", "out of disk")] },
      );
      const before = await everything(shared.store, session.id);

      const reopened = await shared.reopen();

      expect(await everything(reopened, session.id)).toEqual(before);
      expect(before.stored).toMatchObject({
        found: "session",
        stored: { session: { repoId: shared.repo.id } },
      });
      expect(before.messages).toEqual([
        {
          id: sent.messageId,
          sessionId: session.id,
          runId: sent.runId,
          seq: 3,
          role: "user",
          content: textOf("Tidy up the tests."),
          complete: true,
          at: NOON + 1000,
        },
        {
          id: "n1",
          sessionId: session.id,
          runId: null,
          seq: 7,
          role: "system",
          content: textOf("out of disk"),
          complete: true,
          at: NOON + 2000,
        },
      ]);
    });

    it("A1 fails as a fault, leaving nothing, when the repository does not exist", async () => {
      const id = randomUUID();
      const creating = beginSession(shared.store, { id, repoId: "nowhere" });
      await expect(creating).rejects.toMatchObject({
        name: "StorageFault",
        code: "constraint_broken",
      });
      expect(await shared.store.load(id)).toEqual({ found: "nothing" });
    });

    it("C3 keeps suspensions across reopening, and the run continues when they are answered", async () => {
      const session = await shared.begin();
      const sent = await session.run();
      const first = await session.suspend(sent, {
        kind: "question",
        request: { question: "Which?" },
        expiresAt: NOON * 2,
      });
      const second = await session.suspend(sent);
      await session.perform({ type: "suspend", cause: "crash" });
      const { session: waiting } = await session.stored();

      const reopened = await shared.reopen();
      const again = driveSession(reopened, session);

      expect((await again.stored()).session).toEqual(waiting);
      expect(waiting.standing).toMatchObject({
        status: "suspended",
        activity: { suspensions: [first, second] },
      });
      await again.answer(second);
      await again.answer(first);
      expect((await again.stored()).session.standing).toMatchObject({
        status: "active",
        activity: { state: "running", run: { id: sent.runId, handed: false, attempts: 1 } },
      });
    });

    it("returns the session as it is stored", async () => {
      const session = await shared.begin();
      await session.claim("node-7");
      const committed = await session.perform({ type: "update", changes: { title: "Named" } });
      expect(committed.stored).toEqual(await session.stored());
      expect(committed.stored).toMatchObject({ version: 2, lastSeq: 2, owner: "node-7", epoch: 1 });
      expect(committed).toMatchObject({ firstSeq: 2, lastSeq: 2 });
    });

    it("at an old version is a conflict and writes nothing", async () => {
      const session = await shared.begin();
      const stale = await session.stored();
      await session.perform({ type: "update", changes: { title: "First" } });
      const before = await everything(shared.store, session.id);

      const remember = { scope: "s", key: randomUUID(), requestHash: "h", response: null };
      const committed = await shared.store.commit({
        before: stale,
        events: [{ type: "session.updated", at: NOON, changes: { title: "Second" } }],
        messages: [notice(randomUUID(), "too late")],
        remember,
      });

      expect(committed).toEqual({ ok: false, refused: "conflict" });
      expect(await everything(shared.store, session.id)).toEqual(before);
      expect(await shared.store.recall(remember)).toBeNull();
    });

    it("on a deleted session is a conflict", async () => {
      const session = await shared.begin();
      const stale = await session.stored();
      await session.perform({ type: "delete" });
      const events: SessionEvent[] = [{ type: "session.archived", at: NOON }];
      expect(await shared.store.commit({ before: stale, events })).toEqual({
        ok: false,
        refused: "conflict",
      });
      expect(await shared.store.load(session.id)).toEqual({ found: "nothing" });
    });

    it("is stored for exactly one of two concurrent writers", async () => {
      for (let round = 0; round < 20; round += 1) {
        const session = await shared.begin();
        const before = await session.stored();
        const titles = ["left", "right"];
        const committed = await Promise.all(
          titles.map((title) =>
            shared.store.commit({
              before,
              events: [{ type: "session.updated", at: NOON, changes: { title } }],
            }),
          ),
        );
        const winners = titles.filter((_, index) => committed[index]?.ok);
        expect(winners).toHaveLength(1);
        expect(committed.filter(({ ok }) => !ok)).toEqual([{ ok: false, refused: "conflict" }]);
        expect(await session.stored()).toMatchObject({
          version: 2,
          lastSeq: 2,
          session: { title: winners[0] },
        });
      }
    });

    it("creates a session once: the second is a conflict, even if concurrent", async () => {
      const first = await shared.begin({ title: "first" });
      expect(await create(first.id, "second")).toEqual({ ok: false, refused: "conflict" });
      for (let round = 0; round < 10; round += 1) {
        const id = randomUUID();
        const created = await Promise.all(["a", "b", "c"].map((title) => create(id, title)));
        expect(created.filter(({ ok }) => ok)).toHaveLength(1);
        const lost = created.filter(({ ok }) => !ok);
        expect(lost).toEqual(lost.map(() => ({ ok: false, refused: "conflict" })));
      }
    });

    it("that lost the race to create stores no answer either", async () => {
      for (let round = 0; round < 10; round += 1) {
        const id = randomUUID();
        const keys = ["a", "b"].map((name) => ({ scope: "race", key: `${name}-${id}` }));
        const created = await Promise.all(keys.map(({ key }) => create(id, key, key)));
        const remembered = await Promise.all(keys.map((key) => shared.store.recall(key)));
        expect(remembered.map((answer) => answer !== null)).toEqual(created.map(({ ok }) => ok));
      }
    });

    function create(id: string, title: string, key?: string) {
      const decision = decide(null, {
        ...createCommand({ id, title, repoId: shared.repo.id }),
        at: NOON,
      });
      if (!decision.ok) throw new Error(decision.refusal.code);
      return shared.store.commit({
        before: null,
        events: decision.events,
        ...(key !== undefined && {
          remember: { scope: "race", key, requestHash: "h", response: null },
        }),
      });
    }
  });

  describe("a commit under a key", () => {
    it("is made once: the second time nothing is written, and the first answer is returned", async () => {
      const session = await shared.begin();
      const key = { scope: "send", key: randomUUID() };
      const answer = { requestHash: "h1", response: { runId: "r", queued: [1, "two", null] } };
      expect(await shared.store.recall(key)).toBeNull();
      await sendUnder({ ...key, ...answer });
      const before = await everything(shared.store, session.id);

      const again = await sendUnder({ ...key, requestHash: "h2", response: "other" });

      expect(again).toEqual({ ok: false, refused: "remembered" });
      expect(await everything(shared.store, session.id)).toEqual(before);
      expect(await shared.store.recall(key)).toEqual(answer);
      expect(await shared.store.recall({ ...key, scope: "other" })).toBeNull();

      function sendUnder(
        remember:
          | (typeof key & typeof answer)
          | { scope: string; key: string; requestHash: string; response: string },
      ) {
        const command = sendCommand({ start: HANDED });
        return session.attempt(command, {
          contents: { [command.messageId]: textOf("Hello") },
          remember,
        });
      }
    });

    it("is made once even if two concurrent requests create two sessions", async () => {
      for (let round = 0; round < 10; round += 1) {
        const sessions = [await shared.begin(), await shared.begin()];
        const remember = { scope: "race", key: randomUUID(), requestHash: "h", response: round };
        const committed = await Promise.all(
          sessions.map((session) =>
            session.attempt({ type: "update", changes: { title: "mine" } }, { remember }),
          ),
        );
        expect(committed.filter(({ ok }) => !ok)).toEqual([{ ok: false, refused: "remembered" }]);
        const titles = await Promise.all(
          sessions.map(async (session) => (await session.stored()).session.title),
        );
        expect(titles).toEqual(committed.map(({ ok }) => (ok ? "mine" : null)));
      }
    });

    it("is forgotten after its retention, and not before", async () => {
      const keys = await Promise.all(
        [0, 1, 2].map(async (day) => {
          const remember = { scope: "old", key: `${day}`, requestHash: "h", response: day };
          await beginSession(shared.store, { at: 1000 + day }, { remember });
          return remember;
        }),
      );
      expect(await shared.store.forgetAnswers({ olderThan: 1002 })).toBe(2);
      const recalled = await Promise.all(keys.map((key) => shared.store.recall(key)));
      expect(recalled).toEqual([null, null, { requestHash: "h", response: 2 }]);
      expect(await shared.store.forgetAnswers({ olderThan: 1002 })).toBe(0);
    });
  });

  describe("a commit under a fence", () => {
    it("is stored while the fence is valid, and writes nothing afterwards", async () => {
      const session = await shared.begin();
      const fence = await session.claim("node-1");
      await session.perform({ type: "update", changes: { title: "Mine" } }, { fence });
      const before = await everything(shared.store, session.id);
      const remember = { scope: "fence", key: randomUUID(), requestHash: "h", response: null };
      for (const wrong of [
        { ...fence, epoch: 0 },
        { ...fence, epoch: 2 },
        { ...fence, node: "node-2" },
      ]) {
        const committed = await session.attempt(
          { type: "update", changes: { title: "Not mine" } },
          { fence: wrong, remember, messages: [notice(randomUUID(), "fenced off")] },
        );
        expect(committed).toEqual({ ok: false, refused: "fenced" });
      }
      expect(await everything(shared.store, session.id)).toEqual(before);
      expect(await shared.store.recall(remember)).toBeNull();
    });

    it("is refused after the owner released the session", async () => {
      const session = await shared.begin();
      const fence = await session.claim("node-1");
      expect(await shared.store.release({ sessionId: session.id, ...fence })).toBe(true);
      const committed = await session.attempt(
        { type: "update", changes: { title: "Late" } },
        { fence },
      );
      expect(committed).toEqual({ ok: false, refused: "fenced" });
    });
  });
}

function notice(id: string, text: string) {
  return { id, runId: null, role: "system", content: textOf(text) } as const;
}

async function everything(store: Store, sessionId: string) {
  return {
    stored: await store.load(sessionId),
    messages: await store.readMessages({ sessionId }),
    log: await store.readEvents({ sessionId, after: 0, limit: 1000 }),
    runs: await store.readRuns(sessionId),
    queue: await store.readQueue(sessionId),
  };
}
