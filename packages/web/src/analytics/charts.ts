import type { Stats, StatsBucket } from "@holdfast/protocol";
import type { Unit } from "./value-text.ts";

/** The name of a page colour. */
export type Tone = "accent" | "ok" | "warn" | "danger" | "line-strong";

interface ChartSeries {
  readonly name: string;
  readonly tone: Tone;
  /** One per bucket; null without data. */
  readonly values: readonly (number | null)[];
  /** For the whole range. */
  readonly total: number | null;
}

/** A chart over time. */
export interface Chart {
  readonly title: string;
  /** Parts of a sum are stacked bars; rates are lines. */
  readonly drawnAs: "stack" | "lines";
  readonly unit: Unit;
  readonly bucketMs: number;
  readonly starts: readonly number[];
  readonly series: readonly ChartSeries[];
  /** Shown when there is no data. */
  readonly emptyText: string;
}

/** Agents report arbitrary currencies; only some get a chart. */
const CURRENCIES_MAX = 4;

const OUTCOMES = [
  ["Completed", "completed", "ok"],
  ["Stopped", "cancelled", "line-strong"],
  ["Interrupted", "interrupted", "warn"],
  ["Failed", "failed", "danger"],
] as const;

export function chartsOf({ total, successRate, resumeRate, overTime }: Stats): readonly Chart[] {
  const { bucketMs, buckets } = overTime;
  const axis = { bucketMs, starts: buckets.map(({ start }) => Date.parse(start)) };
  const seriesOf = (
    name: string,
    tone: Tone,
    valueOf: (bucket: StatsBucket) => number | null,
    all: number | null,
  ): ChartSeries => ({ name, tone, values: buckets.map(valueOf), total: all });
  const currencies = Object.keys(total.cost).filter((currency) => total.cost[currency] !== 0);
  return [
    {
      ...axis,
      title: "Runs",
      drawnAs: "stack",
      unit: { is: "count" },
      series: OUTCOMES.map(([name, key, tone]) =>
        seriesOf(name, tone, (bucket) => bucket[key], total[key]),
      ),
      emptyText: "No run ended.",
    },
    {
      ...axis,
      title: "Success and resume rate",
      drawnAs: "lines",
      unit: { is: "rate" },
      series: [
        seriesOf("Success", "accent", (bucket) => bucket.successRate, successRate),
        seriesOf("Resume", "warn", (bucket) => bucket.resumeRate, resumeRate),
      ],
      emptyText: "No run ended, and no session was cut off.",
    },
    {
      ...axis,
      title: "Tokens",
      drawnAs: "stack",
      unit: { is: "tokens" },
      series: [
        seriesOf("In", "accent", (bucket) => bucket.inputTokens, total.inputTokens),
        seriesOf("Out", "warn", (bucket) => bucket.outputTokens, total.outputTokens),
      ],
      emptyText: "No agent reported its tokens.",
    },
    ...currencies.slice(0, CURRENCIES_MAX).map((currency): Chart => {
      const costOf = ({ cost }: Pick<StatsBucket, "cost">): number => cost[currency] ?? 0;
      return {
        ...axis,
        title: `Cost in ${currency}`,
        drawnAs: "stack",
        unit: { is: "money", currency },
        series: [seriesOf("Cost", "accent", costOf, costOf(total))],
        emptyText: "No agent reported its cost.",
      };
    }),
  ];
}

export function isEmptyChart({ drawnAs, series }: Chart): boolean {
  return series.every(({ values }) =>
    values.every((value) => value === null || (drawnAs === "stack" && value === 0)),
  );
}

/** The table rows of a chart, newest first, without empty buckets. */
export function rowsOf({ starts, series, drawnAs }: Chart) {
  return starts
    .map((startMs, index) => ({
      startMs,
      values: series.map(({ values }) => values[index] ?? null),
    }))
    .filter(({ values }) =>
      values.some((value) => value !== null && (drawnAs === "lines" || value !== 0)),
    )
    .toReversed();
}

/** Cumulated values for a stack: the topmost series has the largest values and is drawn first. */
export function stackedValues(series: readonly ChartSeries[]): readonly (readonly number[])[] {
  const piles: (readonly number[])[] = [];
  for (const { values } of series) {
    const below = piles.at(-1);
    piles.push(values.map((value, index) => (value ?? 0) + (below?.[index] ?? 0)));
  }
  return piles.toReversed();
}

/** The buckets with a label, chosen so that the labels fit. */
export function tickIndexes(count: number, roomFor: number): readonly number[] {
  const step = Math.max(1, Math.ceil(count / Math.max(1, roomFor)));
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step);
}
