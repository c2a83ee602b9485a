import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { LogEntry } from "../../ports/transcript-store.ts";
import { opening, textIn } from "../session-driver.ts";
import type { SharedStore } from "./shared-store.ts";

/** Concurrent reads and writes. Each read sees the data of one moment. */
export function snapshotContract(shared: SharedStore): void {
  describe("a read during writes", () => {
    it("P3 returns a consistent session at every moment of its work, and never reports it as unreadable", async () => {
      const session = await shared.begin();
      const states = new Set<string>();
      await beside(
        async () => {
          for (let n = 0; n < 15; n += 1) {
            const sent = await session.run();
            await session.answer(await session.suspend(sent));
            await session.send("Next.");
            const [next] = (await session.stored()).session.queue;
            await session.end(sent);
            if (next !== undefined)
              await session.perform({ type: "withdraw-queued", messageId: next.messageId });
          }
        },
        async () => {
          const loaded = await shared.store.load(session.id);
          if (loaded.found !== "session") throw new Error(JSON.stringify(loaded));
          const { standing, queue } = loaded.stored.session;
          const state = "activity" in standing ? standing.activity.state : "gone";
          const record = await shared.store.readSession(session.id);
          if (record.found !== "session") throw new Error(JSON.stringify(record));
          expect(record.record.suspensions).toHaveLength(
            record.record.state === "suspended" ? 1 : 0,
          );
          states.add(`${state}, ${queue.length} queued`);
        },
      );
      expect(await shared.store.listQuarantined()).toEqual([]);
      expect(states.size).toBeGreaterThan(2);
    });

    it("A4 lists a session once while its status changes", async () => {
      const agentName = "goes to and fro";
      const session = await shared.begin({ agentName });
      await beside(
        async () => {
          for (let n = 0; n < 15; n += 1) {
            await session.perform({ type: "suspend", cause: "crash" });
            await session.perform({ type: "resume" });
          }
        },
        async () => {
          const statuses = ["active", "suspended"] as const;
          const page = await shared.store.listSessions({ statuses, agentName, limit: 10 });
          expect(page.sessions.map(({ id }) => id)).toEqual([session.id]);
        },
      );
    });

    it("C5 never shows less text of an incomplete message than before", async () => {
      const session = await shared.begin();
      const sent = await session.run();
      await session.claim();
      const shown = new Map<string, string>();
      await beside(
        async () => {
          for (let n = 0; n < 15; n += 1) {
            const id = `grow-${n}-${session.id}`;
            await session.put(sent, opening(id));
            for (const text of TEXT) await session.put(sent, { put: "text", messageId: id, text });
            await session.put(sent, { put: "end", messageId: id });
          }
        },
        async () => {
          const messages = await session.messages();
          for (const { id, content, complete } of messages.filter(({ role }) => role === "agent")) {
            const text = textIn(content);
            const least = complete ? TEXT.join("") : (shown.get(id) ?? "");
            expect({ id, text: text.slice(0, least.length) }).toEqual({ id, text: least });
            shown.set(id, text);
          }
        },
      );
    });

    it("C7 returns consistent pages of the log, without repeated text", async () => {
      const session = await shared.begin();
      const sent = await session.run();
      await session.claim();
      await beside(
        async () => {
          for (let n = 0; n < 15; n += 1) {
            const id = `log-${n}-${session.id}`;
            await session.put(sent, opening(id));
            for (const text of TEXT) await session.put(sent, { put: "text", messageId: id, text });
            await session.put(sent, { put: "end", messageId: id });
          }
        },
        async () => {
          for (const text of textsIn(await session.log())) {
            expect(TEXT.join("").startsWith(text)).toBe(true);
          }
        },
      );
    });

    it("B5 does not report a session as unreadable that is being deleted", async () => {
      for (let n = 0; n < 15; n += 1) {
        const session = await shared.begin();
        await session.suspend(await session.run());
        await session.send("Next.");
        await beside(
          () => session.perform({ type: "delete" }),
          async () => {
            const { store } = shared;
            const { id } = session;
            await Promise.all([
              store.load(id),
              session.log(),
              session.messages(),
              store.readSession(id),
            ]);
          },
        );
        expect(await shared.store.load(session.id)).toEqual({ found: "nothing" });
      }
      expect(await shared.store.listQuarantined()).toEqual([]);
    });
  });
}

const TEXT = ["one ", "two ", "three ", "four"];

/** Reads repeatedly during the writes, and once after them. */
async function beside(write: () => Promise<unknown>, read: () => Promise<void>): Promise<void> {
  let isWriting = true;
  const writing = write().finally(() => {
    isWriting = false;
  });
  const reading = (async () => {
    while (isWriting) {
      await read();
      await setImmediate(); // a read of SQLite never leaves the thread: let what was written be heard
    }
    await read();
  })();
  await Promise.all([writing, reading]);
}

/** The text of each message after these entries are applied in order. */
function textsIn(entries: readonly LogEntry[]): readonly string[] {
  const texts = new Map<string, string>();
  for (const entry of entries) {
    if (entry.kind === "message" && entry.message.role === "agent") {
      texts.set(entry.message.id, textIn(entry.message.content));
    }
    if (entry.kind === "delta")
      texts.set(entry.messageId, `${texts.get(entry.messageId) ?? ""}${entry.text}`);
  }
  return [...texts.values()];
}
