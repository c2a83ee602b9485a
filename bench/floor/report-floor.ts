import type { Report } from "../report.ts";
import type { Comparison } from "./compare.ts";
import { MEASURE_IDS, MEASURES, type Measure, type MeasureId } from "./measures.ts";
import type { Results, Spread } from "./readings.ts";

/** Figures and ratios of both servers, with goals and results. */
export function reportFloor({ results, noise, repetitions }: Comparison): Report {
  const head = ["", "unit", "floor", "±", "Holdfast", "±", "ratio", "goal", ""];
  return {
    tables: [{ head, rows: floorRows(results), left: [0, 1, 8] }],
    notes: [
      `Medians of ${repetitions} repetitions; ± is the median absolute deviation.`,
      noise.warning ?? "The machine was quiet.",
    ],
    figures: { results, noise, repetitions },
    missed: missed(results).map((id) => MEASURES[id].name),
  };
}

/** Variants of Holdfast, compared with the floor and with Holdfast on SQLite without a sandbox. */
export function reportForms({ results, noise, repetitions }: Comparison): Report {
  const rows = MEASURE_IDS.flatMap((id) => {
    const { floor, holdfast, sandbox, postgres } = results[id] ?? {};
    if (holdfast === undefined) return [];
    const comparedCells = (form: Spread | undefined): readonly string[] =>
      form === undefined ? ["–", "–"] : [figure(form.median), ratio(form.median / holdfast.median)];
    const { name, unit }: Measure = MEASURES[id];
    const floorCell = floor === undefined ? "–" : figure(floor.median);
    return [
      [
        name,
        unit,
        floorCell,
        figure(holdfast.median),
        ...comparedCells(sandbox),
        ...comparedCells(postgres),
      ],
    ];
  });
  const head = ["", "unit", "floor", "Holdfast", "in the sandbox", "", "on PostgreSQL", ""];
  return {
    tables: [{ head, rows, left: [0, 1] }],
    notes: [
      `Medians of ${repetitions} repetitions; ratios are to Holdfast on SQLite without a sandbox.`,
      noise.warning ?? "The machine was quiet.",
    ],
    figures: { results, noise, repetitions },
    missed: [],
  };
}

function floorRows(results: Results): readonly (readonly string[])[] {
  return MEASURE_IDS.flatMap((id) => {
    const { floor, holdfast } = results[id] ?? {};
    if (floor === undefined || holdfast === undefined) return [];
    const measure: Measure = MEASURES[id];
    return [
      [
        measure.name,
        measure.unit,
        figure(floor.median),
        spreadNoise(floor),
        figure(holdfast.median),
        spreadNoise(holdfast),
        id === "sessionMemory" ? "–" : ratio(holdfast.median / floor.median),
        describeGoal(measure),
        verdict(measure, { floor, holdfast }),
      ],
    ];
  });
}

function missed(results: Results): readonly MeasureId[] {
  return MEASURE_IDS.filter((id) => {
    const { floor, holdfast } = results[id] ?? {};
    if (floor === undefined || holdfast === undefined) return false;
    return verdict(MEASURES[id], { floor, holdfast }) === "MISSED";
  });
}

function verdict(
  { goal }: Measure,
  { floor, holdfast }: { readonly floor: Spread; readonly holdfast: Spread },
): "reached" | "MISSED" | "" {
  if (goal === null) return "";
  const times = holdfast.median / floor.median;
  if ("all" in goal) return Math.min(...holdfast.values) >= goal.all ? "reached" : "MISSED";
  const isReached = "atMost" in goal ? times <= goal.atMost : times >= goal.atLeast;
  return isReached ? "reached" : "MISSED";
}

function describeGoal({ goal }: Measure): string {
  if (goal === null) return "–";
  if ("all" in goal) return "all";
  return "atMost" in goal ? `≤ ${goal.atMost}×` : `≥ ${Number(goal.atLeast.toFixed(2))}×`;
}

function figure(value: number): string {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString("en");
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

function ratio(times: number): string {
  return Number.isFinite(times) ? `${times.toFixed(2)}×` : "–";
}

function spreadNoise({ noise: part }: Spread): string {
  return `${(part * 100).toFixed(0)} %`;
}
