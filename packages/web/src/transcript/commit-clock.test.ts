import { expect, it } from "vitest";
import { createCommitClock, type Frames } from "./commit-clock.ts";

/** Frames and timers that come when told to. */
function scriptedFrames() {
  let now = 0;
  let lastId = 0;
  const timers = new Map<number, { readonly at: number; readonly run: () => void }>();
  const waiting = new Map<number, () => void>();
  const frames: Frames = {
    now: () => now,
    requestFrame: (run) => {
      lastId += 1;
      waiting.set(lastId, run);
      return lastId;
    },
    cancelFrame: (id) => void waiting.delete(id),
    setTimer: (run, ms) => {
      lastId += 1;
      timers.set(lastId, { at: now + ms, run });
      return lastId;
    },
    clearTimer: (id) => void timers.delete(id),
  };
  /** Time goes on until the next frame; timers come when they are due. */
  const frame = (ms: number): void => {
    const end = now + ms;
    const due = [...timers].filter(([, { at }]) => at <= end);
    for (const [id, { at, run }] of due.toSorted(([, a], [, b]) => a.at - b.at)) {
      timers.delete(id);
      now = at;
      run();
    }
    now = end;
    const shown = [...waiting.values()];
    waiting.clear();
    for (const run of shown) run();
  };
  return { frames, frame, waiting: () => timers.size + waiting.size };
}

function commits(frameMs: number, count: number): number[] {
  const { frames, frame } = scriptedFrames();
  const times: number[] = [];
  const clock = createCommitClock(() => times.push(frames.now()), frames);
  for (let index = 0; index < count; index += 1) {
    clock.request();
    frame(frameMs);
  }
  return times;
}

it("the first change is committed on the next frame", () => {
  expect(commits(16, 1)).toEqual([16]);
});

it("commits at most about thirty times a second", () => {
  const times = commits(16, 125);
  expect(times.length).toBeGreaterThan(35);
  expect(times.length).toBeLessThanOrEqual(62);
});

it("commits ten times a second while frames are slow", () => {
  const times = commits(40, 100).slice(-10);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(100);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(160);
});

it("commits nothing after it was cancelled until the next request", () => {
  const { frames, frame, waiting } = scriptedFrames();
  let count = 0;
  const clock = createCommitClock(() => (count += 1), frames);
  clock.request();
  clock.cancel();
  expect(waiting()).toBe(0);
  frame(16);
  expect(count).toBe(0);
  clock.request();
  frame(16);
  expect(count).toBe(1);
});
