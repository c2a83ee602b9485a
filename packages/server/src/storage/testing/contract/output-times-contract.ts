import { describe, expect, it } from "vitest";
import { opening, type Sent, type SessionDriver } from "../session-driver.ts";
import type { SharedStore } from "./shared-store.ts";

/** The times of a session during output of an agent. */
export function outputTimesContract(shared: SharedStore): void {
  describe("output of an agent and the session's times", () => {
    async function atWork(): Promise<{ session: SessionDriver; sent: Sent; id: string }> {
      const session = await shared.begin();
      const sent = await session.run("Tell me.");
      await session.claim();
      return { session, sent, id: `agent-${session.id}` };
    }

    it("advances the session's times, and an earlier decision does not set them back", async () => {
      const { session, sent, id } = await atWork();
      const before = await session.stored();
      await session.put(sent, opening(id));
      const spoken = session.now;
      expect((await session.stored()).session).toMatchObject({
        updatedAt: spoken,
        lastActiveAt: spoken,
      });

      const early = {
        type: "session.updated",
        at: spoken - 500,
        changes: { title: "Meanwhile" },
      } as const;
      const committed = await shared.store.commit({ before, events: [early] });

      const { session: after } = await session.stored();
      expect(after).toMatchObject({ title: "Meanwhile", updatedAt: spoken, lastActiveAt: spoken });
      expect(committed).toMatchObject({ ok: true, stored: { session: after } });
    });

    it("A2 keeps messages in order of time when the clock is set back", async () => {
      const { session, sent, id } = await atWork();
      const { owner, epoch } = await session.stored();
      const fence = { node: owner ?? "", epoch };
      const at = session.now - 3_600_000;
      const items = [opening(id, "earlier?")];
      await shared.store.append({
        sessionId: session.id,
        runId: sent.runId,
        at,
        fence,
        items,
        durable: true,
      });
      const messages = await session.messages();
      expect(messages.map((message) => message.at)).toEqual([session.now, session.now]);
      expect((await session.stored()).session).toMatchObject({
        updatedAt: session.now,
        lastActiveAt: session.now,
      });
    });
  });
}
