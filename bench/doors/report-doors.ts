import { ms, verdict, type Report } from "../report.ts";
import type { DoorGoal, DoorRow } from "./door.ts";
import type { DoorsComparison } from "./doors-bench.ts";

/** Medians of the doors, beside what they are compared with. */
export function reportDoors({ rows, noise }: DoorsComparison): Report {
  return {
    tables: [
      {
        head: ["", "p50", "p99", "beside it", "p50", "ratio", "goal", ""],
        rows: rows.map((row) => [
          row.name,
          ms(row.door.p50Ms),
          ms(row.door.p99Ms),
          row.beside.name,
          ms(row.beside.figures.p50Ms),
          `${ratioOf(row).toFixed(1)}×`,
          describeGoal(row.goal),
          verdict(isReached(row)),
        ]),
        left: [0, 3, 7],
      },
    ],
    notes: [countsOf(rows), noise.warning ?? "The machine was quiet."],
    figures: { rows, noise },
    missed: rows.filter((row) => isReached(row) === false).map(({ name }) => name),
  };
}

function ratioOf({ door, beside }: DoorRow): number {
  return door.p50Ms / beside.figures.p50Ms;
}

function isReached(row: DoorRow): boolean | null {
  const { goal, door } = row;
  if (goal === null) return null;
  return "belowMs" in goal ? door.p50Ms <= goal.belowMs : ratioOf(row) <= goal.timesAtMost;
}

function describeGoal(goal: DoorGoal | null): string {
  if (goal === null) return "–";
  return "belowMs" in goal ? `≤ ${goal.belowMs} ms` : `≤ ${goal.timesAtMost}×`;
}

function countsOf(rows: readonly DoorRow[]): string {
  const counts = rows.map(({ door }) => door.count);
  return `${Math.min(...counts)} starts and ${Math.max(...counts)} messages and calls, in turns with what is beside them.`;
}
