import { describe, expect, it } from "vitest";
import { beginSession, NOON, textOf } from "../session-driver.ts";
import type { SharedStore } from "./shared-store.ts";

/** Many concurrent writes. A store may put them into one transaction, invisibly to callers. */
export function groupCommitContract(shared: SharedStore): void {
  describe("many commits at once", () => {
    it("are all stored once, each in its own session", async () => {
      const sessions: Awaited<ReturnType<SharedStore["begin"]>>[] = [];
      // Forty at a time: on a slow machine, more would wait too long for one of PostgreSQL's ten connections.
      for (let first = 0; first < 200; first += 40) {
        const group = Array.from({ length: 40 }, (_, n) => first + n);
        const begun = await Promise.all(group.map((n) => shared.begin({ title: `${n}` })));
        sessions.push(...begun);
        await Promise.all(
          begun.map((session, n) =>
            session.perform({ type: "update", changes: { model: `m${first + n}` } }),
          ),
        );
      }
      const stored = await Promise.all(sessions.map((session) => session.stored()));
      expect(
        stored.map(({ version, lastSeq, session: { title, model } }) => ({
          version,
          lastSeq,
          title,
          model,
        })),
      ).toEqual(
        sessions.map((_, n) => ({ version: 2, lastSeq: 2, title: `${n}`, model: `m${n}` })),
      );
    });

    it("C5 are all stored once in one session, numbered in the order of their commits", async () => {
      const session = await shared.begin();
      const committed = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          session.perform(
            { type: "update", changes: { metadata: { [`key${n}`]: n } } },
            {
              messages: [
                {
                  id: `note-${session.id}-${n}`,
                  runId: null,
                  role: "system",
                  content: textOf(`${n}`),
                },
              ],
            },
          ),
        ),
      );
      const stored = await session.stored();
      expect(stored).toMatchObject({ version: 51, lastSeq: 101 });
      expect(stored.session.metadata).toEqual(
        Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key${n}`, n])),
      );
      const messages = await session.messages();
      expect(messages.map(({ seq }) => seq)).toEqual(
        Array.from({ length: 50 }, (_, n) => 3 + n * 2),
      );
      const numbered = committed.map(({ lastSeq }, n) => ({ lastSeq, content: textOf(`${n}`) }));
      expect(messages.map(({ seq, content }) => ({ lastSeq: seq, content }))).toEqual(
        numbered.toSorted((left, right) => left.lastSeq - right.lastSeq),
      );
      expect((await session.log()).map(({ seq }) => seq)).toEqual(
        Array.from({ length: 101 }, (_, n) => n + 1),
      );
    });

    it("do not affect each other when one of them fails", async () => {
      const creating = Array.from({ length: 40 }, (_, n) =>
        beginSession(shared.store, {
          title: `${n}`,
          repoId: n % 10 === 3 ? "nowhere" : shared.repo.id,
        }),
      );
      const settled = await Promise.allSettled(creating);
      const outcomes = await Promise.all(
        settled.map(async (one) =>
          one.status === "fulfilled"
            ? (await one.value.stored()).session.title
            : (one.reason as { code: unknown }).code,
        ),
      );
      expect(outcomes).toEqual(
        creating.map((_, n) => (n % 10 === 3 ? "constraint_broken" : `${n}`)),
      );
    });

    it("store nothing of one that failed halfway", async () => {
      const session = await shared.begin();
      const message = (id: string) =>
        ({ id: `${id}-${session.id}`, runId: null, role: "system", content: textOf(id) }) as const;
      const update = (title: string, ...ids: readonly string[]) =>
        session.perform(
          { type: "update", changes: { title } },
          {
            messages: ids.map(message),
            remember: { scope: "halfway", key: title, requestHash: "h", response: null },
          },
        );
      await update("First", "taken");
      const before = [await session.stored(), await session.log(), await session.messages()];
      const fault = { name: "StorageFault", code: "constraint_broken" };
      await expect(update("Second", "fresh", "taken")).rejects.toMatchObject(fault);
      const after = [await session.stored(), await session.log(), await session.messages()];
      expect(after).toEqual(before);
      expect(await shared.store.recall({ scope: "halfway", key: "Second" })).toBeNull();
      await update("Second", "fresh");
    });

    it("are all stored before the store is closed", async () => {
      const sessions = await Promise.all(Array.from({ length: 60 }, () => shared.begin()));
      const loaded = await Promise.all(sessions.map((session) => session.stored()));
      const event = { type: "session.updated", at: NOON, changes: { title: "in time" } } as const;
      const committing = Promise.all(
        loaded.map((before) => shared.store.commit({ before, events: [event] })),
      );
      const reopened = await shared.reopen();
      expect((await committing).map(({ ok }) => ok)).toEqual(sessions.map(() => true));
      const titles = await Promise.all(
        sessions.map(async ({ id }) => {
          const read = await reopened.readSession(id);
          return read.found === "session" ? read.record.title : null;
        }),
      );
      expect(titles).toEqual(sessions.map(() => "in time"));
    });

    it("are refused by a store that is closed, as are reads", async () => {
      const session = await shared.begin();
      const before = await session.stored();
      const { store } = shared;
      await shared.reopen();
      const closed = { name: "StorageFault", code: "store_closed" };
      const events = [{ type: "session.archived", at: session.now } as const];
      await expect(store.commit({ before, events })).rejects.toMatchObject(closed);
      await expect(store.load(session.id)).rejects.toMatchObject(closed);
      await expect(store.listSessions({ limit: 1 })).rejects.toMatchObject(closed);
      await store.close();
    });
  });
}
