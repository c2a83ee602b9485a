import { describe, expect, it } from "vitest";
import type { Chart } from "./charts.ts";
import { plotData, plotOptions } from "./plot-options.ts";

const look = { width: 300, font: "11px sans", colourOf: (name: string) => name, onPoint: () => {} };

function chartOf(values: readonly (number | null)[], drawnAs: Chart["drawnAs"]): Chart {
  return {
    title: "Something",
    drawnAs,
    unit: { is: "count" },
    bucketMs: 86_400_000,
    starts: values.map((_, index) => index * 86_400_000),
    series: [
      { name: "One", tone: "ok", values, total: 1 },
      { name: "Other", tone: "danger", values, total: 1 },
    ],
    emptyText: "Nothing.",
  };
}

describe("a plot", () => {
  it("of bars draws the top first and omits empty bars", () => {
    expect(plotData(chartOf([2, 0], "stack"))).toEqual([
      [0, 1],
      [4, null],
      [2, null],
    ]);
    const [, top, bottom] = plotOptions(chartOf([2, 0], "stack"), look).series;
    expect([top?.fill, bottom?.fill]).toEqual(["danger", "ok"]);
  });

  it("of lines keeps zero rates and gaps", () => {
    expect(plotData(chartOf([0, null], "lines"))).toEqual([
      [0, 1],
      [0, null],
      [0, null],
    ]);
  });

  it.each([
    [31, { stroke: "surface", width: 1 }],
    [32, { stroke: undefined, width: 0 }],
  ])("of %i buckets separates the parts only of wide bars", (count, expected) => {
    const chart = chartOf(
      Array.from({ length: count }, () => 1),
      "stack",
    );
    const [, top] = plotOptions(chart, look).series;
    expect({ stroke: top?.stroke, width: top?.width }).toEqual(expected);
  });
});
