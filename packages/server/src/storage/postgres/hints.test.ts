import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Hint } from "../ports/node-store.ts";
import { openHints, type Hints } from "./hints.ts";

let hints: Hints;
/** What the other nodes get, one list for each notification. */
let sent: (readonly Hint[])[];
let troubles: string[];
/** Answers of the database; without one, it answers at once. */
let answers: Promise<unknown>[];

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  sent = [];
  troubles = [];
  answers = [];
  hints = openHints({
    ask: async (_, [, payload]) => {
      sent.push(JSON.parse(String(payload))[1]);
      await answers.shift();
      return [];
    },
    url: "postgres://nowhere",
    name: "node",
    onTrouble: (problem) => troubles.push(problem),
  });
});

afterEach(async () => {
  await hints.close();
  vi.useRealTimers();
});

const output = (sessionId: string): Hint => ({ hint: "output", sessionId });
const change = (sessionId: string): Hint => ({ hint: "change", sessionId });

describe("hints that a node sends", () => {
  it("about output come at once, then together every ten milliseconds, and the last one always comes", async () => {
    for (let ms = 0; ms < 100; ms += 1) {
      hints.send(output("a"));
      if (ms > 50) hints.send(output("b"));
      await vi.advanceTimersByTimeAsync(1);
    }
    const before = sent.length;
    expect(sent[0]).toEqual([output("a")]);
    expect(sent.at(-1)).toEqual([output("a"), output("b")]);
    expect(before).toBeGreaterThan(8);
    expect(before).toBeLessThan(12);
    hints.send(output("c"));
    await vi.advanceTimersByTimeAsync(10);
    expect(sent.slice(before).flat()).toContainEqual(output("c"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sent.length).toBeLessThanOrEqual(before + 2);
  });

  it("about anything else do not wait, and take waiting ones along", async () => {
    hints.send(output("a"));
    await vi.advanceTimersByTimeAsync(1);
    hints.send(output("b"));
    hints.send(change("c"));
    expect(sent).toEqual([[output("a")], [output("b"), change("c")]]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sent).toHaveLength(2);
  });

  it("while another is on its way follow it", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answers = [promise];
    hints.send(change("a"));
    hints.send(change("b"));
    hints.send(output("b"));
    hints.send(change("b"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sent).toEqual([[change("a")]]);
    resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual([[change("a")], [change("b"), output("b")]]);
  });

  it("that wait are sent at the end", async () => {
    hints.send(output("a"));
    await vi.advanceTimersByTimeAsync(1);
    hints.send(output("b"));
    await hints.close();
    expect(sent).toEqual([[output("a")], [output("b")]]);
    hints.send(output("c"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sent).toHaveLength(2);
  });

  it("that fail are reported, and later ones are sent", async () => {
    answers = [Promise.reject(new Error("gone"))];
    hints.send(change("a"));
    await vi.advanceTimersByTimeAsync(0);
    expect(troubles).toEqual(["hints for other nodes could not be sent"]);
    hints.send(output("b"));
    await vi.advanceTimersByTimeAsync(10);
    expect(sent).toEqual([[change("a")], [output("b")]]);
  });
});
