import { verdict, type Report } from "../report.ts";
import type { Comparison } from "./compare.ts";
import {
  MEASURE_IDS,
  MEASURES,
  POSTGRES_GOALS,
  type Goal,
  type Measure,
  type MeasureId,
} from "./measures.ts";
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
  const all = MEASURE_IDS.flatMap((id) => {
    const { floor, holdfast, sandbox, postgres } = results[id] ?? {};
    if (holdfast === undefined) return [];
    const comparedCells = (form: Spread | undefined): readonly string[] =>
      form === undefined ? ["–", "–"] : [figure(form.median), ratio(form.median / holdfast.median)];
    const { name, unit }: Measure = MEASURES[id];
    const goal = POSTGRES_GOALS[id] ?? null;
    const result = postgres && verdict(isReached(goal, { own: postgres, base: holdfast }));
    const cells = [
      name,
      unit,
      floor === undefined ? "–" : figure(floor.median),
      figure(holdfast.median),
      ...comparedCells(sandbox),
      ...comparedCells(postgres),
      describeGoal(goal, unit),
      result ?? "",
    ];
    return [{ name: `${name}, on PostgreSQL`, result, cells }];
  });
  const head = ["", "unit", "floor", "Holdfast", "in the sandbox", "", "on PostgreSQL", ""];
  return {
    tables: [{ head: [...head, "goal", ""], rows: all.map(({ cells }) => cells), left: [0, 1, 9] }],
    notes: [
      `Medians of ${repetitions} repetitions; ratios are to Holdfast on SQLite without a sandbox, and goals are those on PostgreSQL.`,
      noise.warning ?? "The machine was quiet.",
    ],
    figures: { results, noise, repetitions },
    missed: all.filter(({ result }) => result === "MISSED").map(({ name }) => name),
  };
}

function floorRows(results: Results): readonly (readonly string[])[] {
  return MEASURE_IDS.flatMap((id) => {
    const { floor, holdfast } = results[id] ?? {};
    if (floor === undefined || holdfast === undefined) return [];
    const { name, unit, goal }: Measure = MEASURES[id];
    return [
      [
        name,
        unit,
        figure(floor.median),
        spreadNoise(floor),
        figure(holdfast.median),
        spreadNoise(holdfast),
        id === "sessionMemory" ? "–" : ratio(holdfast.median / floor.median),
        describeGoal(goal, unit),
        verdict(isReached(goal, { own: holdfast, base: floor })),
      ],
    ];
  });
}

function missed(results: Results): readonly MeasureId[] {
  return MEASURE_IDS.filter((id) => {
    const { floor, holdfast } = results[id] ?? {};
    if (floor === undefined || holdfast === undefined) return false;
    return isReached(MEASURES[id].goal, { own: holdfast, base: floor }) === false;
  });
}

function isReached(
  goal: Goal | null,
  { own, base }: { readonly own: Spread; readonly base: Spread },
): boolean | null {
  if (goal === null) return null;
  if ("all" in goal) return Math.min(...own.values) >= goal.all;
  if ("ownAtMost" in goal) return own.median <= goal.ownAtMost;
  const times = own.median / base.median;
  return "atMost" in goal ? times <= goal.atMost : times >= goal.atLeast;
}

function describeGoal(goal: Goal | null, unit: Measure["unit"]): string {
  if (goal === null) return "–";
  if ("all" in goal) return "all";
  if ("ownAtMost" in goal) return `≤ ${goal.ownAtMost} ${unit}`;
  return "atMost" in goal ? `≤ ${goal.atMost}×` : `≥ ${goal.atLeast}×`;
}

export function figure(value: number): string {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString("en");
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

function ratio(times: number): string {
  return Number.isFinite(times) ? `${times.toFixed(2)}×` : "–";
}

function spreadNoise({ noise: part }: Spread): string {
  return `${(part * 100).toFixed(0)} %`;
}
