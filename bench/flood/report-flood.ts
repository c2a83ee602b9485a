import type { Figures } from "../measure.ts";
import { ms, verdict, type Report } from "../report.ts";
import { FLOODS, type FloodResult } from "./flood-bench.ts";

/** What one flooding agent may cost the others. */
const GOALS = { acknowledged: 2, turn: 3, grownMiB: 150, cancelMs: 2_000 } as const;
const MIB = 1024 * 1024;

export function reportFloods(results: readonly FloodResult[]): Report {
  const rows = results.map((result) => {
    const { flood, quiet, flooded, grownBytes, cancelMs } = result;
    return [
      FLOODS[flood],
      `${ms(quiet.acknowledged.p50Ms)} → ${ms(flooded.acknowledged.p50Ms)}`,
      ratio(quiet.acknowledged, flooded.acknowledged),
      `${ms(quiet.turn.p50Ms)} → ${ms(flooded.turn.p50Ms)}`,
      ratio(quiet.turn, flooded.turn),
      `${(grownBytes / MIB).toFixed(0)} MiB`,
      ms(cancelMs),
      verdict(missesOf(result).length === 0),
    ];
  });
  const goals = `≤ ${GOALS.acknowledged}×`;
  return {
    tables: [
      {
        head: [
          "one agent writes without end",
          "acknowledgement, p50",
          goals,
          "turn, p50",
          `≤ ${GOALS.turn}×`,
          `memory ≤ ${GOALS.grownMiB} MiB`,
          `cancel ≤ ${GOALS.cancelMs / 1_000} s`,
          "",
        ],
        rows,
        left: [0, 7],
      },
    ],
    notes: [],
    figures: results,
    missed: results.flatMap((result) =>
      missesOf(result).map((what) => `${FLOODS[result.flood]}: ${what}`),
    ),
  };
}

function missesOf({ quiet, flooded, grownBytes, cancelMs }: FloodResult): readonly string[] {
  const isSlower = (what: "acknowledged" | "turn"): boolean =>
    flooded[what].p50Ms > quiet[what].p50Ms * GOALS[what];
  return [
    ...(isSlower("acknowledged") ? ["acknowledgement"] : []),
    ...(isSlower("turn") ? ["turn"] : []),
    ...(grownBytes > GOALS.grownMiB * MIB ? ["memory"] : []),
    ...(cancelMs > GOALS.cancelMs ? ["cancel"] : []),
  ];
}

/** Of the median, and in brackets of the 99th percentile. */
function ratio(quiet: Figures, flooded: Figures): string {
  const [half, most] = [flooded.p50Ms / quiet.p50Ms, flooded.p99Ms / quiet.p99Ms];
  return `${half.toFixed(1)}× (p99 ${most.toFixed(1)}×)`;
}
