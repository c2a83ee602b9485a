import { describe, expect, it } from "vitest";
import { createArchiver } from "./archiver.ts";

function setUp({ fails = [] }: { readonly fails?: readonly string[] } = {}) {
  const sent: string[] = [];
  const failed: string[] = [];
  const timers = new Set<() => void>();
  const archiver = createArchiver({
    undoMs: 5_000,
    send: async (id) => {
      sent.push(id);
      if (fails.includes(id)) throw new Error("no");
    },
    onFailure: (id) => void failed.push(id),
    later: (_ms, callback) => {
      timers.add(callback);
      return () => void timers.delete(callback);
    },
  });
  const passTime = async (): Promise<void> => {
    for (const callback of timers) callback();
    timers.clear();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { archiver, sent, failed, passTime, hidden: () => [...archiver.hidden.current()] };
}

describe("archiving", () => {
  it("hides at once and sends later (A9)", async () => {
    const { archiver, sent, hidden, passTime } = setUp();
    archiver.archive(["a", "b"]);
    expect([hidden(), sent]).toEqual([["a", "b"], []]);
    await passTime();
    expect([hidden(), sent]).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
  });

  it("sends nothing when it is undone in time", async () => {
    const { archiver, sent, hidden, passTime } = setUp();
    archiver.archive(["a"]);
    const undo = archiver.archive(["b"]);
    undo();
    await passTime();
    expect([hidden(), sent]).toEqual([["a"], ["a"]]);
  });

  it("cannot be undone after it was sent", async () => {
    const { archiver, hidden, passTime } = setUp();
    const undo = archiver.archive(["a"]);
    await passTime();
    undo();
    expect(hidden()).toEqual(["a"]);
  });

  it("shows refused sessions again", async () => {
    const { archiver, failed, hidden, passTime } = setUp({ fails: ["a"] });
    archiver.archive(["a", "b"]);
    await passTime();
    expect([hidden(), failed]).toEqual([["b"], ["a"]]);
  });

  it("sends once and immediately when the page is left", async () => {
    const { archiver, sent, passTime } = setUp();
    archiver.archive(["a"]);
    archiver.flush();
    expect(sent).toEqual(["a"]);
    await passTime();
    expect(sent).toEqual(["a"]);
  });
});
