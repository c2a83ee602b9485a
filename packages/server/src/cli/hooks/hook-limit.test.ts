import { expect, it, vi } from "vitest";
import { shareOf, startLimit, waitedMsIn } from "./hook-limit.ts";

it("ends after its time and not before", async () => {
  expect(await ticksUntilOver(500, () => 1)).toBe(5);
});

it("is longer while the machine is overloaded, and ends afterwards", async () => {
  expect(await ticksUntilOver(500, () => 0.1)).toBe(50);
  let ticks = 0;
  expect(await ticksUntilOver(500, () => (++ticks > 20 ? 1 : 0.01))).toBe(25);
});

it("does not count the time in which the process had no processor", async () => {
  let waitedMs = 1_000;
  const waitsMost = (): number => (waitedMs += 80);
  expect(await ticksUntilOver(500, () => 1, waitsMost)).toBe(25);
  const waitsBeforeALateTick = (): number => (waitedMs += waitedMs < 20_000 ? 5_000 : 0);
  expect(await ticksUntilOver(500, () => 1, waitsBeforeALateTick)).toBeGreaterThan(5);
});

it("reads from Linux how long the process had no processor", () => {
  expect(waitedMsIn("1234567 2500000 17\n")).toBe(2.5);
  expect(waitedMsIn("")).toBe(0);
});

it("lets a busy database take the remaining time, and minutes on an overloaded machine", () => {
  let share = 1;
  const limit = startLimit(5_000, () => share, neverWaits);
  expect(limit.leftMs()).toBe(5_000);
  share = 0.9;
  expect(limit.leftMs()).toBe(300_000);
  limit.stop();
});

it("computes the share of a processor from the load average of Linux", () => {
  expect(shareOf("0.20 0.18 0.12 1/80 11206\n", 2)).toBe(1);
  expect(shareOf("0.20 0.18 0.12 16/80 11206\n", 2)).toBe(1);
  expect(shareOf("9.20 8.18 7.12 160/900 11206\n", 2)).toBe(0.1);
  expect(shareOf("nonsense", 0)).toBe(1);
});

const neverWaits = (): number => 0;

async function ticksUntilOver(
  limitMs: number,
  share: () => number,
  waitedMs = neverWaits,
): Promise<number> {
  vi.useFakeTimers();
  try {
    const limit = startLimit(limitMs, share, waitedMs);
    let isOver = false;
    void limit.over.then(() => (isOver = true));
    let ticks = 0;
    for (; !isOver; ticks += 1) await vi.advanceTimersByTimeAsync(100);
    limit.stop();
    return ticks;
  } finally {
    vi.useRealTimers();
  }
}
