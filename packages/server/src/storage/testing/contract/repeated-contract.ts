import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { decide } from "../../../domain/kernel/decide.ts";
import type { Output, OutputItem } from "../../ports/transcript-store.ts";
import type { Change } from "../../ports/session-store.ts";
import {
  COMPLETED,
  opening,
  textOf,
  type Sent,
  type SessionDriver,
  growingText,
} from "../session-driver.ts";
import type { SharedStore } from "./shared-store.ts";

/** A connection can break during a commit. The caller then repeats a write that may have been stored. */
export function repeatedContract(shared: SharedStore): void {
  describe("a write whose answer was lost", () => {
    interface AtWork {
      readonly session: SessionDriver;
      readonly sent: Sent;
      output(items: readonly OutputItem[], after?: number): Promise<Output>;
    }

    async function atWork(): Promise<AtWork> {
      const session = await shared.begin();
      const sent = await session.run("Tell me.");
      const fence = await session.claim();
      return {
        session,
        sent,
        output: async (items, after) => ({
          sessionId: session.id,
          runId: sent.runId,
          at: session.now,
          fence,
          items,
          durable: false,
          after: after ?? (await session.stored()).lastSeq,
        }),
      };
    }

    async function contents(session: SessionDriver): Promise<unknown> {
      return { stored: await session.stored(), log: await session.log() };
    }

    it("C5 is stored once, whether its last item is a message, text, new content or an end", async () => {
      const { session, output } = await atWork();
      const [text, tool] = [randomUUID(), randomUUID()];
      const content = { type: "tool", title: "read" };
      const batches: readonly (readonly OutputItem[])[] = [
        [opening(text, "a")],
        [{ put: "text", messageId: text, text: "b" }],
        [{ put: "text", messageId: text, text: "b" }],
        [
          { put: "text", messageId: text, text: "c" },
          { put: "end", messageId: text },
        ],
        [{ put: "message", message: { id: tool, role: "agent", content }, complete: false }],
        [{ put: "content", messageId: tool, content, complete: false }],
        [{ put: "content", messageId: tool, content, complete: true }],
      ];
      for (const items of batches) {
        const given = await output(items);
        const first = await shared.store.append(given);
        const before = await contents(session);
        const again = await shared.store.append({ ...given, wasTried: true });
        expect(again).toEqual(first);
        expect(await contents(session)).toEqual(before);
      }
      expect(await session.messages()).toMatchObject([
        { role: "user" },
        { content: textOf("abbc"), complete: true },
        { content, complete: true },
      ]);
    });

    it("C5 is stored by the second try if the first one failed, also between other entries", async () => {
      const { session, output } = await atWork();
      const id = randomUUID();
      await shared.store.append({ ...(await output([opening(id, "a")])), wasTried: true });
      const { lastSeq } = await session.stored();
      await session.perform({ type: "update", changes: { title: "Meanwhile" } });
      const more = await output([{ put: "text", messageId: id, text: "b" }], lastSeq);
      await shared.store.append({ ...more, wasTried: true });
      await shared.store.append({ ...more, wasTried: true });
      expect(await session.messages()).toMatchObject([
        { role: "user" },
        { content: growingText("ab") },
      ]);
    });

    it("C5 is refused if the first one failed and the run has ended meanwhile, which completed its message", async () => {
      const { session, sent, output } = await atWork();
      const id = randomUUID();
      await shared.store.append(await output([opening(id, "a")]));
      const more = await output([{ put: "text", messageId: id, text: "b" }]);
      await session.end(sent);
      const before = await contents(session);
      expect(await shared.store.append({ ...more, wasTried: true })).toEqual({
        ok: false,
        refused: "run_not_current",
      });
      expect(await contents(session)).toEqual(before);
    });

    it("C5 is refused when earlier confirmed output is lost, as after a crash of the database", async () => {
      const { session, output } = await atWork();
      const { lastSeq } = await session.stored();
      const before = await contents(session);
      for (const wasTried of [false, true]) {
        const given = await output([opening(randomUUID(), "a")], lastSeq + 1);
        expect(await shared.store.append({ ...given, wasTried })).toEqual({
          ok: false,
          refused: "output_lost",
          lastSeq,
        });
      }
      expect(await contents(session)).toEqual(before);
    });

    it("C4 is committed once, and returns the first result", async () => {
      const { session, sent } = await atWork();
      const before = await session.stored();
      const decision = decide(before.session, {
        type: "end-run",
        at: session.now,
        runId: sent.runId,
        result: COMPLETED,
        usage: null,
      });
      if (!decision.ok) throw new Error(decision.refusal.message);
      const id = randomUUID();
      const change: Change = {
        before,
        events: decision.events,
        messages: [{ id, runId: null, role: "system", content: textOf("It is done.") }],
      };
      const first = await shared.store.commit(change);
      expect(await shared.store.commit({ ...change, wasTried: true })).toMatchObject({
        ok: true,
        stored: { session: { standing: { status: "active" } } },
      });
      await session.perform({ type: "update", changes: { title: "Meanwhile" } });
      const after = await contents(session);
      expect(await shared.store.commit({ ...change, wasTried: true })).toMatchObject({ ok: true });
      expect(await contents(session)).toEqual(after);
      expect(first.ok).toBe(true);
      expect((await session.messages()).filter((message) => message.id === id)).toHaveLength(1);
    });

    it("C4 is a conflict if the first one failed and another writer was faster, and is stored otherwise", async () => {
      const { session } = await atWork();
      const before = await session.stored();
      const events = [
        { type: "session.updated", at: session.now, changes: { title: "Mine" } },
      ] as const;
      await session.perform({ type: "update", changes: { title: "Another's" } });
      expect(await shared.store.commit({ before, events, wasTried: true })).toEqual({
        ok: false,
        refused: "conflict",
      });
      const now = await session.stored();
      expect(await shared.store.commit({ before: now, events, wasTried: true })).toMatchObject({
        ok: true,
        stored: { session: { title: "Mine" } },
      });
    });
  });
}
