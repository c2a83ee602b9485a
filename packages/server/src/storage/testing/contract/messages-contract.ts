import { describe, expect, it } from "vitest";
import type { Message } from "../../../domain/message.ts";
import {
  beginSession,
  COMPLETED,
  growingText,
  HANDED,
  NOON,
  opening,
  textIn,
  textOf,
  type SessionDriver,
} from "../session-driver.ts";
import type { SharedStore } from "./shared-store.ts";

/** Number of reads after which a reader that has not finished never will. */
const ENOUGH = 20;

/** Reading messages: all of them, since a time, or in pages. */
export function messagesContract(shared: SharedStore): void {
  describe("the messages of a session", () => {
    /** Five messages, one second apart. The last two have the same time. */
    async function spoken(): Promise<{ session: SessionDriver; all: readonly Message[] }> {
      const session = await shared.begin();
      const sent = await session.run("one");
      await session.claim();
      await session.put(sent, opening(`2-${session.id}`, "two"), {
        put: "end",
        messageId: `2-${session.id}`,
      });
      await session.put(sent, opening(`3-${session.id}`, "three"));
      await session.put(
        sent,
        opening(`4-${session.id}`, "four"),
        opening(`5-${session.id}`, "five"),
      );
      return { session, all: await session.messages() };
    }

    const texts = (messages: readonly Message[]) => messages.map(({ content }) => content["text"]);

    it("A2 are in the order in which they began, whatever was completed when", async () => {
      const { session, all } = await spoken();
      expect(texts(all)).toEqual(["one", "two", "three", "four", "five"]);
      expect(all.map(({ at }) => at - NOON)).toEqual([1000, 2000, 3000, 4000, 4000]);
      const sent = { messageId: "", runId: all[0]?.runId ?? "" };
      await session.put(sent, { put: "end", messageId: `5-${session.id}` });
      await session.put(sent, { put: "end", messageId: `3-${session.id}` });
      expect(texts(await session.messages())).toEqual(["one", "two", "three", "four", "five"]);
    });

    it("can be read from their end, with all that can still change (A2)", async () => {
      const { session, all } = await spoken();
      const { store } = shared;
      const sessionId = session.id;
      // The third message is still open, so it and all after it belong to the end.
      const end = await store.readNewest({ sessionId, limit: 1 });
      expect([texts(end.messages), end.earlier]).toEqual([["three", "four", "five"], 2]);
      const sent = { messageId: "", runId: all[0]?.runId ?? "" };
      for (const number of [3, 4, 5]) {
        await session.put(sent, { put: "end", messageId: `${number}-${sessionId}` });
      }
      const last = await store.readNewest({ sessionId, limit: 2 });
      expect([texts(last.messages), last.earlier]).toEqual([["four", "five"], 3]);
      const before = all[3]?.seq ?? 0;
      const older = await store.readNewest({ sessionId, before, limit: 2 });
      expect([texts(older.messages), older.earlier]).toEqual([["two", "three"], 1]);
      const whole = await store.readNewest({ sessionId, limit: 100 });
      expect([whole.messages, whole.earlier]).toEqual([await session.messages(), 0]);
      const none = await store.readNewest({ sessionId, before: 1, limit: 2 });
      expect([none.messages, none.earlier]).toEqual([[], 0]);
    });

    it("of one run can be read from their end (D6)", async () => {
      const { session, all } = await spoken();
      const sessionId = session.id;
      const runId = all[0]?.runId ?? "";
      await session.end({ messageId: "", runId });
      const next = await session.run("six");
      const read = (query: { readonly runId: string; readonly before?: number }) =>
        shared.store.readNewestOfRun({ sessionId, limit: 2, ...query }).then(texts);
      expect(await read({ runId })).toEqual(["four", "five"]);
      expect(await read({ runId, before: all[3]?.seq ?? 0 })).toEqual(["two", "three"]);
      expect(await read({ runId, before: all[0]?.seq ?? 0 })).toEqual([]);
      expect(await read({ runId: next.runId })).toEqual(["six"]);
      expect(await read({ runId: "none" })).toEqual([]);
      const other = await shared.begin();
      expect(await shared.store.readNewestOfRun({ sessionId: other.id, runId, limit: 2 })).toEqual(
        [],
      );
    });

    it("are found by ID in their own session only, even while incomplete", async () => {
      const { session, all } = await spoken();
      const other = await shared.begin();
      const growing = all.at(-1);
      if (growing === undefined) throw new Error("five were said");
      await session.put(
        { messageId: "", runId: growing.runId ?? "" },
        { put: "text", messageId: growing.id, text: " and six" },
      );
      const read = (id: string, of = session.id) => shared.store.readMessage(of, id);
      expect(await Promise.all(all.map(({ id }) => read(id)))).toEqual([
        ...all.slice(0, -1),
        { ...growing, content: growingText("five and six") },
      ]);
      expect(await read(growing.id, other.id)).toBeNull();
      expect(await read("none")).toBeNull();
    });

    it("A5 since a time are the later ones", async () => {
      const { session, all } = await spoken();
      const since = (time: number) =>
        shared.store.readMessages({ sessionId: session.id, since: time });
      expect(await since(0)).toEqual(all);
      expect(await since(NOON + 1999)).toEqual(all.slice(1));
      expect(await since(NOON + 2000)).toEqual(all.slice(2));
      expect(await since(NOON + 4000)).toEqual([]);
    });

    it("A5 since a time include a queued one by its time of delivery", async () => {
      const session = await shared.begin();
      await session.claim();
      const current = await session.run("one");
      const waiting = await session.send("two");
      const takenAt = session.now;
      await session.put(current, opening(`a-${session.id}`, "answer"));
      const readAt = session.now;
      await session.end(current);
      const { runId } = waiting;
      await session.perform({ type: "start-run", runId, start: HANDED });
      const all = await session.messages();
      expect(texts(all)).toEqual(["one", "answer", "two"]);
      expect(all.at(-1)).toMatchObject({ id: waiting.messageId, at: takenAt });
      expect(takenAt).toBeLessThan(readAt);
      const { store } = shared;
      const since = await store.readMessages({ sessionId: session.id, since: readAt });
      expect(since).toEqual(all.slice(-1));
      expect(await store.readMessages({ sessionId: session.id, since: session.now })).toEqual([]);
    });

    it("A5 by a cursor are each read once, even with equal times, and while new ones arrive", async () => {
      for (const limit of [1, 2, 3, 5, 100]) {
        const { session, all } = await spoken();
        const sent = { messageId: "", runId: all[0]?.runId ?? "" };
        const seen: Message[] = [];
        for (let turn = 0; turn < ENOUGH; turn += 1) {
          const after = seen.at(-1)?.seq ?? 0;
          const part = await shared.store.readMessages({ sessionId: session.id, after, limit });
          if (part.length === 0) break;
          expect(part.length).toBeLessThanOrEqual(limit);
          seen.push(...part);
          if (turn === 0) await session.put(sent, opening(`6-${session.id}`, "six"));
        }
        expect(seen).toEqual(await session.messages());
        expect(texts(seen)).toEqual(["one", "two", "three", "four", "five", "six"]);
      }
    });

    it("A5 can be filtered by time and cursor together", async () => {
      const { session, all } = await spoken();
      const { store } = shared;
      const sessionId = session.id;
      expect(await store.readMessages({ sessionId, since: NOON + 2000, limit: 1 })).toEqual(
        all.slice(2, 3),
      );
      expect(
        await store.readMessages({ sessionId, since: NOON + 2000, after: all[3]?.seq ?? 0 }),
      ).toEqual(all.slice(4));
      expect(await store.readMessages({ sessionId, limit: 0 })).toEqual([]);
      expect(await store.readMessages({ sessionId: "unknown" })).toEqual([]);
    });

    it("A3 may be text, plans, tools and any other JSON with a type", async () => {
      const session = await shared.begin();
      const sent = await session.run("Plan it.");
      await session.claim();
      const contents = [
        { type: "text", text: "Here it comes.", partial: false },
        {
          type: "plan",
          steps: [
            { step: "look", done: true },
            { step: "leap", done: false },
          ],
        },
        {
          type: "tool",
          tool: "read",
          args: { path: "a.ts" },
          result: { lines: 12, ok: true, note: null },
        },
        { type: "image/png", data: "iVBORw0KGgo=" },
      ];
      for (const [index, content] of contents.entries()) {
        const message = { id: `${index}-${session.id}`, role: "agent", content } as const;
        await session.put(sent, { put: "message", message, complete: true });
      }
      const said = (await session.messages()).filter(({ role }) => role === "agent");
      expect(said.map(({ content }) => content)).toEqual(contents);
    });

    it("of a fork begin with the copied ones, with their original times", async () => {
      const { session, all } = await spoken();
      const messages = all.map(({ role, content, at }, index) => ({
        id: `fork-${index}-${session.id}`,
        runId: null,
        role,
        content,
        at,
      }));
      const fork = await beginSession(
        shared.store,
        {
          repoId: shared.repo.id,
          at: NOON + 60_000,
          forkedFrom: { sessionId: session.id, atMessage: null },
        },
        { messages },
      );
      const sent = await fork.run("And on.");
      await fork.end(sent, COMPLETED);
      const taken = await fork.messages();
      expect(taken.map(({ content, at }) => ({ content, at: at - NOON }))).toEqual([
        ...all.map(({ content, at }) => ({ content: textOf(textIn(content)), at: at - NOON })),
        { content: textOf("And on."), at: 61_000 },
      ]);
      expect((await fork.stored()).session).toMatchObject({
        createdAt: NOON + 60_000,
        updatedAt: NOON + 62_000,
      });
      const early = await shared.store.listSessions({ search: "three", limit: 10 });
      expect(early.sessions.map(({ id }) => id)).toContain(fork.id);
    });
  });
}
