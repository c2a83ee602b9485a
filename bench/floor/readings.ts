import { percentileOf } from "../measure.ts";
import { MEASURE_IDS, MEASURES, type MeasureId } from "./measures.ts";

/** The readings of one sample of one contender: one or several figures per measure. */
export type Readings = Partial<Readonly<Record<MeasureId, number | readonly number[]>>>;

/** The median of the repetitions, and the median absolute deviation relative to it. */
export interface Spread {
  readonly median: number;
  readonly noise: number;
  readonly values: readonly number[];
}

/** By measure and name of the contender. */
export type Results = Partial<Record<MeasureId, Record<string, Spread>>>;

export interface Collection {
  /** Adds all readings of one repetition. Each measure stores one percentile of them. */
  add(contender: string, readings: readonly Readings[]): void;
  results(): Results;
}

export function createCollection(): Collection {
  const values = new Map<MeasureId, Map<string, number[]>>();
  return {
    add(contender, readings) {
      for (const id of MEASURE_IDS) {
        const all = readings.flatMap((one) => one[id] ?? []);
        if (all.length === 0) continue;
        const byContender = values.get(id) ?? new Map<string, number[]>();
        values.set(id, byContender);
        const own = byContender.get(contender) ?? [];
        byContender.set(contender, own);
        own.push(percentileOf(all, MEASURES[id].part));
      }
    },
    results() {
      const results: Results = {};
      for (const [id, byContender] of values) {
        const spreads = [...byContender].map(([name, own]) => [name, spreadOf(own)] as const);
        results[id] = Object.fromEntries(spreads);
      }
      return results;
    },
  };
}

function spreadOf(values: readonly number[]): Spread {
  const median = medianOf(values);
  const distance = medianOf(values.map((value) => Math.abs(value - median)));
  return { median, noise: median === 0 ? 0 : distance / Math.abs(median), values };
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const half = Math.floor(sorted.length / 2);
  const [upper = Number.NaN, lower = upper] = [sorted[half], sorted[half - 1]];
  return sorted.length % 2 === 1 ? upper : (upper + lower) / 2;
}
