import { describe, expect, it } from "vitest";
import { createAgentSlots, type AgentSlots } from "./agent-slots.ts";

function open(limit: number): { slots: AgentSlots; evicted: string[]; offered: string[] } {
  const evicted: string[] = [];
  const offered: string[] = [];
  const slots = createAgentSlots({
    limit,
    evict: async (sessionId) => void evicted.push(sessionId),
    offer: (sessionId) => void offered.push(sessionId),
  });
  return { slots, evicted, offered };
}

/** Whether a session that has had its share of runs must make room for another that waits. */
function mustYield(slots: AgentSlots, sessionId: string): boolean {
  for (let run = 0; run < 3; run += 1) {
    expect(slots.mustYield(sessionId)).toBe(false);
    slots.countRun(sessionId);
  }
  return slots.mustYield(sessionId);
}

describe("slots for agents", () => {
  it("are given until the limit is reached, and then refused while all are busy (A11)", () => {
    const { slots } = open(2);
    expect([slots.take("a"), slots.take("b"), slots.take("c")]).toEqual([
      expect.any(Promise),
      expect.any(Promise),
      null,
    ]);
    expect([slots.taken, slots.isFull, slots.holds("c")]).toEqual([2, true, false]);
  });

  it("are given again to whoever has one", () => {
    const { slots } = open(1);
    void slots.take("a");
    expect(slots.take("a")).not.toBeNull();
    expect(slots.taken).toBe(1);
  });

  it("are taken from the agent idle for longest, and only then from one that waits (A11)", () => {
    const { slots, evicted } = open(3);
    for (const id of ["a", "b", "c"]) void slots.take(id);
    slots.use("a", "waiting");
    slots.use("c", "idle");
    slots.use("b", "idle");
    expect(slots.isFull).toBe(false);
    for (const id of ["d", "e", "f"]) expect(slots.take(id)).not.toBeNull();
    expect(evicted).toEqual(["c", "b", "a"]);
    expect([slots.isFull, slots.take("g")]).toEqual([true, null]);
  });

  it("are free only when the agent that had one is gone, also for who asks twice", async () => {
    const gone = Promise.withResolvers<void>();
    const slots = createAgentSlots({ limit: 1, evict: () => gone.promise, offer: () => {} });
    await slots.take("a");
    slots.use("a", "idle");
    let isFree = false;
    void slots.take("b");
    const taken = slots.take("b")?.then(() => (isFree = true));
    await Promise.resolve();
    expect(isFree).toBe(false);
    gone.resolve();
    await taken;
    expect(isFree).toBe(true);
  });

  it("are offered in the order of asking, as they can be had", () => {
    const { slots, offered } = open(1);
    void slots.take("a");
    for (const id of ["b", "c", "d"]) slots.wait(id);
    expect([offered, mustYield(slots, "a")]).toEqual([[], true]);
    slots.leave("a");
    expect(offered).toEqual(["b"]);
    void slots.take("b");
    slots.use("b", "idle");
    expect(offered).toEqual(["b", "c"]);
    slots.leave("d");
    void slots.take("c");
    slots.leave("c");
    void slots.take("e");
    expect([offered, mustYield(slots, "e")]).toEqual([["b", "c"], false]);
  });

  it("count the runs of a session anew once it was idle", () => {
    const { slots } = open(1);
    void slots.take("a");
    slots.wait("b");
    expect(mustYield(slots, "a")).toBe(true);
    slots.use("a", "idle");
    void slots.take("a");
    slots.wait("b");
    expect(mustYield(slots, "a")).toBe(true);
  });

  it("are offered at once to who waits when one is free", () => {
    const { slots, offered } = open(1);
    slots.wait("a");
    expect(offered).toEqual(["a"]);
  });
});
