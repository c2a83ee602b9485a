import uPlot from "uplot";
import { piledUp, tickIndexes, type Chart } from "./charts.ts";
import { tickText, valueText } from "./value-text.ts";

/** As high as `h-44`. */
export const PLOT_HEIGHT = 176;

const TICK_WIDTH = 64;
const ROOM_ABOVE = 1.05;
/** Bars of so many buckets are wide enough on a phone to be parted by lines. */
const PARTED_MAX = 31;
const PERCENTS = [0, 0.25, 0.5, 0.75, 1];
const WHOLE_STEPS = Array.from({ length: 12 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();

interface Look {
  readonly width: number;
  readonly font: string;
  /** Of one of the page's colours. */
  readonly colourOf: (name: string) => string;
  readonly onPoint: (index: number | null) => void;
}

/** Buckets lie side by side: along the axis they are counted, and named when they are labelled. */
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
      : // No bar rather than one without height, of which the line around it would be seen.
        piledUp(series).map((pile) => pile.map((value) => (value === 0 ? null : value)));
  return [starts.map((_, index) => index), ...values];
}

function linesOf({ series }: Chart, { colourOf }: Look): uPlot.Series[] {
  return series.map(({ tone }, index) => ({
    stroke: colourOf(tone),
    width: 2,
    // Not told apart by colour alone.
    ...(index > 0 && { dash: [6, 4] }),
    spanGaps: true,
    points: { show: true, size: 6, fill: colourOf(tone) },
  }));
}

/** In the order in which they are piled up from the top down. */
function barsOf({ starts, series }: Chart, { colourOf }: Look): uPlot.Series[] {
  const paths = uPlot.paths.bars?.({ size: [0.8, 48] });
  return series.toReversed().map(({ tone }) => ({
    fill: colourOf(tone),
    // A line of the ground between the parts, for those who see few colours. Thin bars have no room
    // for it: it would be all that is seen of them.
    ...(starts.length <= PARTED_MAX ? { stroke: colourOf("surface"), width: 1 } : { width: 0 }),
    points: { show: false },
    ...(paths !== undefined && { paths }),
  }));
}

function topOf(most: number | null): number {
  return most === null || most <= 0 ? 1 : most * ROOM_ABOVE;
}
