import type { Stats, StatsBucket } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { chartsOf, isEmptyChart, stackedValues, rowsOf, tickIndexes } from "./charts.ts";
import { emptyStats } from "./testing/empty-stats.ts";

const nothing = {
  sessions: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  interrupted: 0,
  successRate: null,
  resumeRate: null,
  inputTokens: 0,
  outputTokens: 0,
  cost: {},
};
const DAY_MS = 86_400_000;
const FIRST = Date.parse("2026-03-01T00:00:00.000Z");

function statsOf(buckets: readonly Partial<StatsBucket>[], total: Partial<Stats["total"]>): Stats {
  return {
    ...emptyStats,
    successRate: 0.75,
    total: { ...emptyStats.total, ...total },
    overTime: {
      bucketMs: DAY_MS,
      buckets: buckets.map((bucket, index) => ({
        ...nothing,
        start: new Date(FIRST + index * DAY_MS).toISOString(),
        ...bucket,
      })),
    },
  };
}

const stats = statsOf(
  [
    { completed: 2, failed: 1, successRate: 2 / 3, inputTokens: 10, cost: { USD: 0.5 } },
    {},
    { completed: 1, successRate: 1, outputTokens: 4 },
  ],
  { completed: 3, failed: 1, inputTokens: 10, outputTokens: 4, cost: { USD: 0.5, EUR: 0 } },
);
const [runs, rates, tokens, ...costs] = chartsOf(stats);

describe("charts over time", () => {
  it("have one value per bucket and a total", () => {
    expect(runs).toEqual({
      title: "Runs",
      drawnAs: "stack",
      unit: { is: "count" },
      bucketMs: DAY_MS,
      starts: [FIRST, FIRST + DAY_MS, FIRST + 2 * DAY_MS],
      series: [
        { name: "Completed", tone: "ok", values: [2, 0, 1], total: 3 },
        { name: "Stopped", tone: "line-strong", values: [0, 0, 0], total: 0 },
        { name: "Interrupted", tone: "warn", values: [0, 0, 0], total: 0 },
        { name: "Failed", tone: "danger", values: [1, 0, 0], total: 1 },
      ],
      emptyText: "No run ended.",
    });
    expect(tokens?.series.map(({ values, total }) => [values, total])).toEqual([
      [[10, 0, 0], 10],
      [[0, 0, 4], 4],
    ]);
  });

  it("have no rate where nothing was measured", () => {
    expect(rates?.series.map(({ values, total }) => [values, total])).toEqual([
      [[2 / 3, null, 1], 0.75],
      [[null, null, null], null],
    ]);
  });

  it("exist for each used currency, up to a limit", () => {
    expect(costs.map(({ title, series }) => [title, series[0]?.values])).toEqual([
      ["Cost in USD", [0.5, 0, 0]],
    ]);
    const cost = Object.fromEntries(["A", "B", "C", "D", "E"].map((name) => [name, 1]));
    expect(
      chartsOf(statsOf([], { cost }))
        .slice(3)
        .map(({ title }) => title),
    ).toEqual(["Cost in A", "Cost in B", "Cost in C", "Cost in D"]);
  });

  it("are empty without data; a rate of zero is data", () => {
    expect(chartsOf(stats).map(isEmptyChart)).toEqual([false, false, false, false]);
    expect(chartsOf(statsOf([{}, {}], {})).map(isEmptyChart)).toEqual([true, true, true]);
    const failed = chartsOf(statsOf([{ failed: 1, successRate: 0 }], { failed: 1 }));
    expect(failed.map(isEmptyChart)).toEqual([false, false, true]);
  });

  it("have table rows, newest first, without empty buckets", () => {
    const rows = chartsOf(stats).slice(0, 2).map(rowsOf);
    expect(rows).toEqual([
      [
        { startMs: FIRST + 2 * DAY_MS, values: [1, 0, 0, 0] },
        { startMs: FIRST, values: [2, 0, 0, 1] },
      ],
      [
        { startMs: FIRST + 2 * DAY_MS, values: [1, null] },
        { startMs: FIRST, values: [2 / 3, null] },
      ],
    ]);
  });

  it("are stacked from the top down", () => {
    expect(stackedValues(runs?.series ?? [])).toEqual([
      [3, 0, 1],
      [2, 0, 1],
      [2, 0, 1],
      [2, 0, 1],
    ]);
  });

  it.each([
    [3, 10, [0, 1, 2]],
    [10, 4, [0, 3, 6, 9]],
    [5, 0, [0]],
    [0, 4, []],
  ])("with %i buckets have labels that fit in the room for %i", (count, roomFor, expected) => {
    expect(tickIndexes(count, roomFor)).toEqual(expected);
  });
});
