import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { atMostEvery } from "./at-most-every.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("is done at once, then once for all that was asked meanwhile, and at once again after a pause", () => {
  const start = Date.now();
  const times: number[] = [];
  const paced = atMostEvery(1_000, () => times.push(Date.now() - start));
  paced.ask();
  vi.advanceTimersByTime(200);
  paced.ask();
  paced.ask();
  vi.advanceTimersByTime(900);
  paced.ask();
  vi.advanceTimersByTime(5_000);
  paced.ask();
  expect(times).toEqual([0, 1_000, 2_000, 6_100]);
});

it("is not done any more when it was stopped", () => {
  let count = 0;
  const paced = atMostEvery(1_000, () => (count += 1));
  paced.ask();
  paced.ask();
  paced.stop();
  vi.advanceTimersByTime(5_000);
  expect(count).toBe(1);
});
