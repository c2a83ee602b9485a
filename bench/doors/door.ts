import type { Running } from "../floor/contender.ts";
import type { Figures } from "../measure.ts";

export interface DoorRow {
  readonly name: string;
  readonly door: Figures;
  /** What it is compared with, in turns. */
  readonly beside: { readonly name: string; readonly figures: Figures };
  readonly goal: DoorGoal | null;
}

export type DoorGoal = { readonly belowMs: number } | { readonly timesAtMost: number };

/** The server and its files, for the doors. */
export interface DoorPlace {
  /** `bin/holdfast.js`, which is what clients start. */
  readonly program: string;
  readonly data: string;
  readonly repository: string;
  readonly running: Running;
}

/** Messages until the programs are compiled and the caches are warm. */
export const WARM_UP = 40;
/** What the server does after an answer must not fall into the next measurement. */
export const BETWEEN_MS = 15;

export function msBetween(start: bigint, end: bigint): number {
  return Number(end - start) / 1e6;
}
