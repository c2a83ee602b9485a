import { describe, expect, it } from "vitest";
import { createOverTime } from "./stats-over-time.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** A Wednesday. */
const NOW = Date.UTC(2026, 6, 15, 10, 30);

function scaleOf({ from = -Infinity, to = Infinity }: { from?: number; to?: number }) {
  const { bucketMs, buckets } = createOverTime({ from, to, now: NOW }).read();
  const [first, last] = [buckets[0], buckets.at(-1)].map((bucket) =>
    bucket === undefined ? null : new Date(bucket.start).toISOString(),
  );
  return { bucketMs, count: buckets.length, first, last };
}

describe("statistics over time", () => {
  it("B7 are by the hour up to two days, by the day up to 180, and then by the week", () => {
    expect(scaleOf({ from: NOW - 48 * HOUR_MS })).toEqual({
      bucketMs: HOUR_MS,
      count: 49,
      first: "2026-07-13T10:00:00.000Z",
      last: "2026-07-15T10:00:00.000Z",
    });
    expect(scaleOf({ from: NOW - 48 * HOUR_MS - 1 })).toEqual({
      bucketMs: DAY_MS,
      count: 3,
      first: "2026-07-13T00:00:00.000Z",
      last: "2026-07-15T00:00:00.000Z",
    });
    expect(scaleOf({ from: NOW - 180 * DAY_MS })).toMatchObject({ bucketMs: DAY_MS, count: 181 });
    expect(scaleOf({ from: NOW - 180 * DAY_MS - 1 })).toEqual({
      bucketMs: WEEK_MS,
      count: 27,
      first: "2026-01-12T00:00:00.000Z",
      last: "2026-07-13T00:00:00.000Z",
    });
  });

  it("B7 have at most 200 buckets: very long ranges are by several weeks", () => {
    expect(scaleOf({ from: NOW - 199 * WEEK_MS })).toMatchObject({
      bucketMs: WEEK_MS,
      count: 200,
    });
    expect(scaleOf({ from: NOW - 200 * WEEK_MS })).toMatchObject({
      bucketMs: 2 * WEEK_MS,
      count: 101,
    });
    const { bucketMs, count, first } = scaleOf({ from: Date.parse("0001-01-01") });
    expect([bucketMs % WEEK_MS, count <= 200]).toEqual([0, true]);
    expect(Date.parse(first ?? "") <= Date.parse("0001-01-01")).toBe(true);
  });

  it("end with the range, or now, and are none of an empty range", () => {
    const from = Date.UTC(2026, 6, 1);
    expect(scaleOf({ from, to: from + 3 * DAY_MS })).toMatchObject({ count: 3 });
    expect(scaleOf({ from, to: from + 3 * DAY_MS + 1 })).toMatchObject({ count: 4 });
    expect(scaleOf({ from, to: Date.UTC(9999, 0) })).toMatchObject({ count: 15 });
    expect(scaleOf({ from: NOW + DAY_MS })).toMatchObject({ bucketMs: HOUR_MS, count: 1 });
    expect(scaleOf({ from, to: from })).toMatchObject({ count: 0 });
    expect(scaleOf({ from, to: from - 1 })).toMatchObject({ count: 0 });
    expect(scaleOf({})).toMatchObject({ bucketMs: DAY_MS, count: 0 });
  });

  it("begin with the first session where no beginning is given, and count what a clock set back made earlier", () => {
    const overTime = createOverTime({ from: -Infinity, to: Infinity, now: NOW });
    const first = NOW - 2 * HOUR_MS;
    overTime.addSession({ createdAt: first });
    const run = { outcome: "completed", durationMs: 1, inputTokens: 1, outputTokens: 2 } as const;
    overTime.addRun({ ...run, endedAt: first - DAY_MS, cost: null });
    overTime.addRun({ ...run, endedAt: NOW + DAY_MS, cost: { currency: "EUR", amount: 0.1 } });
    overTime.addCut({ at: NOW, wentOn: true });
    const none = { failed: 0, cancelled: 0, interrupted: 0 };
    const used = { inputTokens: 1, outputTokens: 2 };
    expect(overTime.read()).toEqual({
      bucketMs: HOUR_MS,
      buckets: [
        {
          start: Date.UTC(2026, 6, 15, 8),
          sessions: 1,
          completed: 1,
          ...none,
          ...used,
          successRate: 1,
          resumeRate: null,
          cost: {},
        },
        {
          start: Date.UTC(2026, 6, 15, 9),
          sessions: 0,
          completed: 0,
          ...none,
          inputTokens: 0,
          outputTokens: 0,
          successRate: null,
          resumeRate: null,
          cost: {},
        },
        {
          start: Date.UTC(2026, 6, 15, 10),
          sessions: 0,
          completed: 1,
          ...none,
          ...used,
          successRate: 1,
          resumeRate: 1,
          cost: { EUR: 0.1 },
        },
      ],
    });
  });
});
