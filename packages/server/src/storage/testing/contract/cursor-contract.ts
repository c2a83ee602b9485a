import { describe, expect, it } from "vitest";
import type { Output } from "../../ports/transcript-store.ts";
import { opening } from "../session-driver.ts";
import type { SharedStore } from "./shared-store.ts";

/** How much of an agent's output is stored. */
export function cursorContract(shared: SharedStore): void {
  describe("the cursor of an agent's output", () => {
    it("is stored together with the output and with commits, and stays otherwise (D4)", async () => {
      const session = await shared.begin();
      const cursor = async (): Promise<string | null> => (await session.stored()).agentCursor;
      expect(await cursor()).toBeNull();
      const sent = await session.run("Tell me.");
      const fence = await session.claim();
      const output = (id: string, more: Partial<Output>): Output => ({
        sessionId: session.id,
        runId: sent.runId,
        at: session.now,
        fence,
        items: [opening(`${id}-${session.id}`, "text")],
        durable: false,
        ...more,
      });
      await shared.store.append(output("first", { agentCursor: "agent 10 1" }));
      expect(await cursor()).toBe("agent 10 1");
      await shared.store.append(output("second", {}));
      expect(await cursor()).toBe("agent 10 1");
      await session.perform({ type: "update", changes: { title: "A" } });
      expect(await cursor()).toBe("agent 10 1");
      await session.perform(
        { type: "update", changes: { title: "B" } },
        { fence, agentCursor: "agent 20 2" },
      );
      expect(await cursor()).toBe("agent 20 2");
    });

    it("is not stored with what is refused (D4)", async () => {
      const session = await shared.begin();
      const { runId } = await session.run("Tell me.");
      const fence = await session.claim();
      const { id: sessionId, now: at } = session;
      const agentCursor = "agent 10 1";
      const items = [{ put: "end", messageId: "missing" } as const];
      const output = { sessionId, runId, at, fence, items, durable: false, agentCursor };
      expect(await shared.store.append(output)).toMatchObject({ ok: false });
      const wrong = { ...fence, epoch: fence.epoch + 1 };
      const update = { type: "update", changes: { title: "Not mine" } } as const;
      expect(await session.attempt(update, { fence: wrong, agentCursor })).toMatchObject({
        ok: false,
      });
      expect((await session.stored()).agentCursor).toBeNull();
    });
  });
}
