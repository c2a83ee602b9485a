import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { startAwakeTimer, type AwakeTimer } from "./awake-timer.ts";

let timer: AwakeTimer | null = null;
afterEach(() => timer?.stop());

/** Stops this thread, as a pause of the process does: timers become late. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function start(ms: number): { readonly elapsed: AbortSignal; readonly begun: number } {
  const elapsed = new AbortController();
  timer = startAwakeTimer(ms, () => elapsed.abort());
  return { elapsed: elapsed.signal, begun: performance.now() };
}

describe("a timer that counts only the time awake", () => {
  it("elapses after its time", async () => {
    const { elapsed, begun } = start(30);
    await once(elapsed, "abort");
    expect(performance.now() - begun).toBeGreaterThan(25);
  });

  it("does not count a pause, and lets input be read after it", async () => {
    const { elapsed } = start(200);
    standStill(1_500);
    // All timers that are due run before this one.
    await pause(0);
    expect(elapsed.aborted).toBe(false);
    await once(elapsed, "abort");
  });

  it("has its full time again after a restart", async () => {
    const { elapsed } = start(150);
    await pause(100);
    expect(elapsed.aborted).toBe(false);
    timer?.restart();
    const restarted = performance.now();
    await once(elapsed, "abort");
    expect(performance.now() - restarted).toBeGreaterThan(145);
  });

  it("does not elapse after it was stopped", async () => {
    const { elapsed } = start(10);
    timer?.stop();
    await pause(30);
    expect(elapsed.aborted).toBe(false);
  });
});
