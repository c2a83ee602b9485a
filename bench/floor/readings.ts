import { percentileOf } from "../measure.ts";
import { MEASURE_IDS, MEASURES, type MeasureId } from "./measures.ts";

/** What one look at one contender gave: of each thing one figure or many. */
export type Readings = Partial<Readonly<Record<MeasureId, number | readonly number[]>>>;

/** The median of the repetitions, and the median distance from it as a part of it. */
export interface Spread {
  readonly median: number;
  readonly noise: number;
  readonly values: readonly number[];
}

/** By measure, then by the contender's name. */
export type Results = Partial<Record<MeasureId, Record<string, Spread>>>;

export interface Collection {
  /** All readings of one repetition, of which each measure takes its part as one value. */
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
        const ofMeasure = values.get(id) ?? new Map<string, number[]>();
        values.set(id, ofMeasure);
        const own = ofMeasure.get(contender) ?? [];
        ofMeasure.set(contender, own);
        own.push(percentileOf(all, MEASURES[id].part));
      }
    },
    results() {
      const results: Results = {};
      for (const [id, ofMeasure] of values) {
        const spreads = [...ofMeasure].map(([name, own]) => [name, spreadOf(own)] as const);
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

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const half = Math.floor(sorted.length / 2);
  const [upper = Number.NaN, lower = upper] = [sorted[half], sorted[half - 1]];
  return sorted.length % 2 === 1 ? upper : (upper + lower) / 2;
}
