import { percentileOf } from "../measure.ts";
import { verdict, type Report } from "../report.ts";
import type { HostComparison, HostRound } from "./host-bench.ts";
import {
  HOST_MEASURE_IDS,
  HOST_MEASURES,
  type HostGoal,
  type HostMeasure,
  type HostMeasureId,
  type HostPlace,
} from "./host-measures.ts";

interface Compared {
  readonly inside: number;
  readonly outside: number;
  /** Outside by inside, of the medians above and of those of each round. */
  readonly ratio: number;
  readonly ratios: readonly number[];
}

/** Medians of agents inside and outside the server, with their ratios and goals. */
export function reportHost({ rounds, noise }: HostComparison): Report {
  const all = HOST_MEASURE_IDS.map((id) => {
    const measure: HostMeasure = HOST_MEASURES[id];
    const compared = compareIn(rounds, id);
    return { id, measure, compared, isReached: isReached(measure.goal, compared) };
  });
  return {
    tables: [
      {
        head: ["", "unit", "inside", "outside", "ratio", "of each round", "goal", ""],
        rows: all.map(({ measure, compared, isReached: reached }) => [
          measure.name,
          measure.unit,
          figure(compared.inside),
          figure(compared.outside),
          ratio(compared.ratio),
          spread(compared.ratios),
          describeGoal(measure),
          verdict(reached),
        ]),
        left: [0, 1, 7],
      },
    ],
    notes: [
      `Medians of ${rounds.length} rounds with new servers; both servers in turns.`,
      noise.warning ?? "The machine was quiet.",
    ],
    figures: {
      rounds,
      noise,
      compared: Object.fromEntries(all.map(({ id, compared }) => [id, compared])),
    },
    missed: all.flatMap(({ measure, isReached: reached }) =>
      reached === false ? [measure.name] : [],
    ),
  };
}

function compareIn(rounds: readonly HostRound[], id: HostMeasureId): Compared {
  const medianOf = (some: readonly HostRound[], place: HostPlace): number =>
    percentileOf(
      some.flatMap((round) => round[place][id] ?? []),
      0.5,
    );
  const [inside, outside] = [medianOf(rounds, "inside"), medianOf(rounds, "outside")];
  const ratios = rounds.map((round) => medianOf([round], "outside") / medianOf([round], "inside"));
  return { inside, outside, ratio: outside / inside, ratios };
}

function isReached(goal: HostGoal | null, { inside, outside }: Compared): boolean | null {
  if (goal === null) return null;
  if ("more" in goal) return outside <= inside + goal.more;
  return "atMost" in goal ? outside <= inside * goal.atMost : outside >= inside * goal.atLeast;
}

function describeGoal({ goal, unit }: HostMeasure): string {
  if (goal === null) return "–";
  if ("more" in goal) return `≤ +${goal.more} ${unit}`;
  return "atMost" in goal ? `≤ ${goal.atMost}×` : `≥ ${goal.atLeast}×`;
}

function figure(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString("en");
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function ratio(times: number): string {
  return `${times.toFixed(2)}×`;
}

function spread(ratios: readonly number[]): string {
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  return ratios.length < 2 ? "–" : `${least.toFixed(2)} to ${most.toFixed(2)}`;
}
