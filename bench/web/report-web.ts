import { reportRows, verdict, type Report } from "../report.ts";
import type { WebFigures } from "./web-bench.ts";

export function reportWeb(figures: WebFigures): Report {
  const { rows, facts, load } = figures;
  const times = reportRows(rows);
  const head = ["", "measured", "goal", ""];
  const factRows = facts.map(({ name, value, unit, atMost }) => [
    name,
    `${Math.round(value * 10) / 10} ${unit}`.trim(),
    `≤ ${atMost.toLocaleString("en")}`,
    verdict(value <= atMost),
  ]);
  return {
    tables: [...times.tables, { head, rows: factRows, left: [0, 3] }],
    notes: [`Load of the machine: ${load.toFixed(1)}.`],
    figures,
    missed: [
      ...times.missed,
      ...facts.filter(({ value, atMost }) => value > atMost).map(({ name }) => name),
    ],
  };
}
