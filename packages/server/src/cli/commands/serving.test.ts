import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { stopInTime } from "./serving.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it.each([
  { drainMs: 0, withinMs: 10_000 },
  { drainMs: 3_000, withinMs: 10_000 },
  { drainMs: 60_000, withinMs: 67_000 },
])("a stop that does not end, with $drainMs ms for runs, is cut after $withinMs ms", (example) => {
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);
  void stopInTime(() => new Promise(() => {}), example);
  vi.advanceTimersByTime(example.withinMs - 1);
  expect(exit).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(exit.mock.calls).toEqual([[2]]);
  expect(stderr.mock.calls).toEqual([
    ["holdfast: the server did not stop in time; ending the process.\n"],
  ]);
});
