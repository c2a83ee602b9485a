import type { FaultName, PlannedFault } from "./round.ts";

/** The generator mulberry32: small, and reproducible everywhere. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface FaultCounts {
  readonly pauses: number;
  readonly kills: number;
  readonly cuts: number;
  readonly lateWrites: number;
  readonly restarts: number;
  readonly databaseRestarts: number;
}

const CUTS = ["cut", "blackhole", "refuse"] as const;

/** The given number of faults of each kind, in random order. */
export function planFaults(counts: FaultCounts, random: () => number): readonly PlannedFault[] {
  const faults: FaultName[] = [
    ...Array.from({ length: counts.pauses }, () => "pause" as const),
    ...Array.from({ length: counts.kills }, () => "kill" as const),
    ...Array.from({ length: counts.cuts }, (_, index) => CUTS[index % CUTS.length] ?? "cut"),
    ...Array.from({ length: counts.lateWrites }, () => "late write" as const),
    ...Array.from({ length: counts.restarts }, () => "restart" as const),
    ...Array.from({ length: counts.databaseRestarts }, () => "database restart" as const),
  ];
  return faults
    .map((fault) => ({ fault, order: random() }))
    .toSorted((left, right) => left.order - right.order)
    .map(({ fault }) => ({ kind: fault, node: null }));
}
