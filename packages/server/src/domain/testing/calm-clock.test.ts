import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { calmDeadline, calmMsOf, calmNow } from "./calm-clock.ts";

describe("the calm clock", () => {
  it("never runs faster than an ordinary clock", async () => {
    const begun = performance.now();
    const calmBegun = calmNow();
    const slept = await calmMsOf(pause(50));
    const calmMs = calmNow() - calmBegun;
    // Clocks of floating point numbers differ in their last digits.
    expect(calmMs).toBeLessThan(performance.now() - begun + 0.01);
    expect(slept).toBeLessThanOrEqual(calmMs);
  });

  it("tells whether a time has passed", () => {
    expect([calmDeadline(-1)(), calmDeadline(60_000)()]).toEqual([true, false]);
  });
});
