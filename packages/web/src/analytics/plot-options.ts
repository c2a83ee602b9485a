import uPlot from "uplot";
import { stackedValues, tickIndexes, type Chart } from "./charts.ts";
import { tickText, valueText } from "./value-text.ts";

/** The height of `h-44`. */
export const PLOT_HEIGHT = 176;

const TICK_WIDTH = 64;
const ROOM_ABOVE = 1.05;
/** With up to this many buckets, bars are wide enough for separating lines on a phone. */
const PARTED_MAX = 31;
const PERCENTS = [0, 0.25, 0.5, 0.75, 1];
const WHOLE_STEPS = Array.from({ length: 12 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();

interface Look {
  readonly width: number;
  readonly font: string;
  /** The value of a page colour. */
  readonly colourOf: (name: string) => string;
  readonly onPoint: (index: number | null) => void;
}

/** The x axis counts the buckets; labels show their times. */
export function plotOptions(chart: Chart, look: Look): uPlot.Options {
  const { starts, bucketMs, unit, drawnAs } = chart;
  const { colourOf, font } = look;
  const ink = {
    font,
    stroke: colourOf("muted"),
    ticks: { show: false },
    grid: { stroke: colourOf("line"), width: 1 },
  };
  return {
    width: look.width,
    height: PLOT_HEIGHT,
    padding: [8, 20, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: drawnAs === "lines" } },
    scales: {
      x: { time: false, range: () => [-0.5, starts.length - 0.5] },
      y: { range: (_plot, _least, most) => [0, drawnAs === "lines" ? ROOM_ABOVE : topOf(most)] },
    },
    axes: [
      {
        ...ink,
        size: 30,
        gap: 8,
        grid: { show: false },
        splits: (plot) => [
          ...tickIndexes(
            starts.length,
            Math.floor(plot.bbox.width / devicePixelRatio / TICK_WIDTH),
          ),
        ],
        values: (_plot, indexes) => indexes.map((index) => tickText(starts[index] ?? 0, bucketMs)),
      },
      {
        ...ink,
        gap: 4,
        size: (_plot, texts) => 14 + 6.5 * Math.max(0, ...(texts ?? []).map((text) => text.length)),
        values: (_plot, values) => values.map((value) => valueText(value, unit)),
        ...(drawnAs === "lines" && { splits: () => PERCENTS }),
        ...((unit.is === "count" || unit.is === "tokens") && { incrs: WHOLE_STEPS }),
      },
    ],
    series: [{}, ...(drawnAs === "lines" ? linesOf(chart, look) : barsOf(chart, look))],
    hooks: { setCursor: [({ cursor }) => look.onPoint(cursor.idx ?? null)] },
  };
}

export function plotData({ starts, drawnAs, series }: Chart): uPlot.AlignedData {
  const values =
    drawnAs === "lines"
      ? series.map((each) => [...each.values])
      : // Null instead of 0: the outline of an empty bar would be visible.
        stackedValues(series).map((pile) => pile.map((value) => (value === 0 ? null : value)));
  return [starts.map((_, index) => index), ...values];
}

function linesOf({ series }: Chart, { colourOf }: Look): uPlot.Series[] {
  return series.map(({ tone }, index) => ({
    stroke: colourOf(tone),
    width: 2,
    // Lines must differ by more than colour.
    ...(index > 0 && { dash: [6, 4] }),
    spanGaps: true,
    points: { show: true, size: 6, fill: colourOf(tone) },
  }));
}

/** From the top of the stack down. */
function barsOf({ starts, series }: Chart, { colourOf }: Look): uPlot.Series[] {
  const paths = uPlot.paths.bars?.({ size: [0.8, 48] });
  return series.toReversed().map(({ tone }) => ({
    fill: colourOf(tone),
    // Separating lines help people who see few colours. Thin bars have no room for them.
    ...(starts.length <= PARTED_MAX ? { stroke: colourOf("surface"), width: 1 } : { width: 0 }),
    points: { show: false },
    ...(paths !== undefined && { paths }),
  }));
}

function topOf(most: number | null): number {
  return most === null || most <= 0 ? 1 : most * ROOM_ABOVE;
}
