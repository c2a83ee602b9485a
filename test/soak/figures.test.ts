import { describe, expect, it } from "vitest";
import { addLatencies, countOf, LatencyRecorder, percentileMs } from "./latencies.ts";
import { slopeOf } from "./slope.ts";

describe("the slope of a series", () => {
  const points = (valueAt: (index: number) => number) =>
    Array.from({ length: 60 }, (_, index) => ({ atMs: index * 10_000, value: valueAt(index) }));

  it("is the growth per hour", () => {
    const { perHour, marginPerHour } = slopeOf(points((index) => 100 + index));
    expect([Math.round(perHour), Math.round(marginPerHour)]).toEqual([360, 0]);
  });

  it("is within its margin if there is no growth", () => {
    const { perHour, marginPerHour } = slopeOf(points((index) => 100 + ((index * 7) % 5)));
    expect(Math.abs(perHour)).toBeLessThan(marginPerHour);
  });

  it("is unknown with two points", () => {
    expect(slopeOf(points(() => 1).slice(0, 2))).toEqual({ perHour: 0, marginPerHour: Infinity });
  });
});

describe("latencies", () => {
  it("of several processes have the percentiles of all of them, within 5 percent", () => {
    const [one, two] = [new LatencyRecorder(), new LatencyRecorder()];
    for (let ms = 1; ms <= 1_000; ms += 1) (ms % 2 === 0 ? one : two).add(ms);
    const all = addLatencies([one.take(), two.take()]);
    expect([countOf(all), all.maxMs]).toEqual([1_000, 1_000]);
    for (const part of [0.01, 0.5, 0.99]) {
      const ratio = percentileMs(all, part) / (part * 1_000);
      expect(ratio).toBeGreaterThanOrEqual(1);
      expect(ratio).toBeLessThan(1.05);
    }
  });

  it("are taken once", () => {
    const recorder = new LatencyRecorder();
    recorder.add(3);
    recorder.take();
    expect(recorder.take()).toEqual({ counts: [], maxMs: 0 });
  });
});
