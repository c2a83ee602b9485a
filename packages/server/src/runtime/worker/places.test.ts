import { describe, expect, it } from "vitest";
import { createPlaces, type Places } from "./places.ts";

function open(limit: number): { places: Places; evicted: string[]; offered: string[] } {
  const evicted: string[] = [];
  const offered: string[] = [];
  const places = createPlaces({
    limit,
    evict: async (sessionId) => void evicted.push(sessionId),
    offer: (sessionId) => void offered.push(sessionId),
  });
  return { places, evicted, offered };
}

describe("places for agents", () => {
  it("are given until the limit is reached, and then refused while all are busy (A11)", () => {
    const { places } = open(2);
    expect([places.take("a"), places.take("b"), places.take("c")]).toEqual([
      expect.any(Promise),
      expect.any(Promise),
      null,
    ]);
    expect([places.taken, places.isFull, places.holds("c")]).toEqual([2, true, false]);
  });

  it("are given again to whoever has one", () => {
    const { places } = open(1);
    void places.take("a");
    expect(places.take("a")).not.toBeNull();
    expect(places.taken).toBe(1);
  });

  it("are taken from the agent idle for longest, and only then from one that waits (A11)", () => {
    const { places, evicted } = open(3);
    for (const id of ["a", "b", "c"]) void places.take(id);
    places.use("a", "waiting");
    places.use("c", "idle");
    places.use("b", "idle");
    expect(places.isFull).toBe(false);
    for (const id of ["d", "e", "f"]) expect(places.take(id)).not.toBeNull();
    expect(evicted).toEqual(["c", "b", "a"]);
    expect([places.isFull, places.take("g")]).toEqual([true, null]);
  });

  it("are free only when the agent that had one is gone, also for who asks twice", async () => {
    const gone = Promise.withResolvers<void>();
    const places = createPlaces({ limit: 1, evict: () => gone.promise, offer: () => {} });
    await places.take("a");
    places.use("a", "idle");
    let isFree = false;
    void places.take("b");
    const taken = places.take("b")?.then(() => (isFree = true));
    await Promise.resolve();
    expect(isFree).toBe(false);
    gone.resolve();
    await taken;
    expect(isFree).toBe(true);
  });

  it("are offered in the order of asking, as they can be had", () => {
    const { places, offered } = open(1);
    void places.take("a");
    for (const id of ["b", "c", "d"]) places.wait(id);
    expect([offered, places.isAwaited]).toEqual([[], true]);
    places.leave("a");
    expect(offered).toEqual(["b"]);
    void places.take("b");
    places.use("b", "idle");
    expect(offered).toEqual(["b", "c"]);
    places.leave("d");
    void places.take("c");
    places.leave("c");
    expect([offered, places.isAwaited]).toEqual([["b", "c"], false]);
  });

  it("are offered at once to who waits when one is free", () => {
    const { places, offered } = open(1);
    places.wait("a");
    expect(offered).toEqual(["a"]);
  });
});
