import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OutputItem } from "../../storage/store.ts";
import { createWaitingOutput } from "./waiting-output.ts";

const MAX_ITEMS = 32;
const MAX_SIZE = 128 * 1024;

const message = (id: string, text: string): OutputItem => ({
  put: "message",
  message: { id, role: "agent", content: { type: "text", text } },
  complete: false,
});

const step = fc.oneof(
  fc.record({ do: fc.constant("message" as const), size: fc.nat(200_000) }),
  fc.record({ do: fc.constant("text" as const), size: fc.nat(90_000) }),
  fc.record({ do: fc.constant("version" as const), size: fc.nat(50_000) }),
  fc.record({ do: fc.constant("take" as const), size: fc.constant(0) }),
);

describe("the waiting output of a run", () => {
  it("comes in order, in batches that are never too large (P6)", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const waiting = createWaitingOutput();
        let said = "";
        let stored = "";
        let id = 0;
        const take = (): void => {
          const batch = waiting.take();
          if (batch === null) return;
          expect(batch.items.length).toBeLessThanOrEqual(MAX_ITEMS);
          // One item may be larger.
          expect(batch.items.length === 1 || batch.size <= MAX_SIZE).toBe(true);
          for (const item of batch.items) if (item.put === "text") stored += item.text;
          waiting.settle(batch);
        };
        for (const [index, { do: what, size }] of steps.entries()) {
          if (what === "take") take();
          else if (what === "message") waiting.add(message(`m${(id += 1)}`, ""), size);
          else if (what === "version")
            waiting.replace(`m${id}`, { content: { type: "tool", index }, complete: false }, size);
          else {
            const text = `${index} `;
            said += text;
            if (!waiting.extend(`t${id}`, text))
              waiting.add({ put: "text", messageId: `t${id}`, text }, text.length);
          }
        }
        while (!waiting.isEmpty) take();
        expect(stored).toBe(said);
      }),
    );
  });

  it("keeps only the newest version of a message", () => {
    const waiting = createWaitingOutput();
    waiting.add(message("a", "first"), 5);
    waiting.replace("a", { content: { type: "text", text: "second" }, complete: true }, 6);
    waiting.add(message("b", "other"), 5);
    expect(waiting.take()?.items).toEqual([
      { ...message("a", "second"), complete: true },
      message("b", "other"),
    ]);
    waiting.replace("b", { content: { type: "text", text: "third" }, complete: false }, 5);
    waiting.replace("b", { content: { type: "text", text: "fourth" }, complete: true }, 6);
    expect(waiting.take()?.items).toEqual([
      { put: "content", messageId: "b", content: { type: "text", text: "fourth" }, complete: true },
    ]);
  });

  it("drops text that waits for a message when a newer version contains it", () => {
    const waiting = createWaitingOutput();
    waiting.add({ put: "text", messageId: "a", text: "old" }, 3);
    waiting.add({ put: "text", messageId: "b", text: "kept" }, 4);
    waiting.replace("a", { content: { type: "tool", output: ["old"] }, complete: false }, 9);
    expect(waiting.take()).toMatchObject({
      items: [
        { put: "text", messageId: "b" },
        { put: "content", messageId: "a" },
      ],
      size: 13,
    });
  });

  it("makes the agent wait while it is too much, and not longer (P6)", async () => {
    const waiting = createWaitingOutput();
    for (let count = 0; count <= MAX_ITEMS; count += 1) waiting.add(message(`${count}`, ""), 1);
    const room = waiting.room();
    expect(room).toBeDefined();
    waiting.take();
    await room;
    expect(waiting.room()).toBeUndefined();
  });

  it("is flushed when all that was added before is settled, and not what comes after", async () => {
    const waiting = createWaitingOutput();
    waiting.add(message("a", ""), 1);
    const flushed = waiting.flush();
    const batch = waiting.take();
    waiting.add(message("b", ""), 1);
    if (batch !== null) waiting.settle(batch);
    await flushed;
    expect(waiting.isEmpty).toBe(false);
  });
});
