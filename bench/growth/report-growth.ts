import { ms, type Report, type Table } from "../report.ts";
import type { Curve, GrowthFigures } from "./growth-bench.ts";
import { plotSvg } from "./growth-plot.ts";

/** Maximum growth factor, from the fewest to the most items. */
const FLAT = 1.5;
/** Ten messages do not fill a page of fifty, so the comparison starts at the next point. */
const FULL_PAGE = 1;

export function reportGrowth(figures: GrowthFigures): Report {
  return {
    tables: [
      tableOf("sessions stored", { curves: figures.bySessions, from: 0 }),
      tableOf("messages in the session", { curves: figures.byMessages, from: FULL_PAGE }),
    ],
    notes: [
      "p50 over HTTP. Growth compares the last column with the first; for messages with the second, because ten do not fill a page.",
    ],
    figures,
    images: {
      "growth-sessions.svg": plotSvg({
        title: "Cost of an operation, p50, by sessions stored",
        axisLabel: "sessions stored",
        curves: figures.bySessions,
      }),
      "growth-messages.svg": plotSvg({
        title: "Cost of an operation, p50, by messages in the session",
        axisLabel: "messages in the session",
        curves: figures.byMessages,
      }),
    },
    missed: [
      ...figures.bySessions.filter((curve) => growthOf(curve, 0) > FLAT),
      ...figures.byMessages.filter((curve) => growthOf(curve, FULL_PAGE) > FLAT),
    ].map(({ operation }) => `${operation} grows with the number of stored items`),
  };
}

function tableOf(
  name: string,
  { curves, from }: { readonly curves: readonly Curve[]; readonly from: number },
): Table {
  const sizes = curves[0]?.points.map(({ size }) => size.toLocaleString("en")) ?? [];
  return {
    head: [name, ...sizes, "growth"],
    rows: curves.map((curve) => [
      curve.operation,
      ...curve.points.map(({ p50Ms }) => ms(p50Ms)),
      `${growthOf(curve, from).toFixed(1)}×`,
    ]),
    left: [0],
  };
}

function growthOf({ points }: Curve, from: number): number {
  return (points.at(-1)?.p50Ms ?? Number.NaN) / (points[from]?.p50Ms ?? Number.NaN);
}
