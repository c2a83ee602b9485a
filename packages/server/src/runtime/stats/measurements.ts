import type { RunFigures, Tally } from "../../storage/ports/stats-store.ts";

/** The values of `/metrics`. */
export interface Measurements extends Tally {
  readonly runsEnded: Readonly<Record<RunFigures["outcome"], number>>;
  readonly liveAgents: number;
  /** Starting or working; the others could be ended without losing anything. */
  readonly busyAgents: number;
  readonly agentLimit: number;
  /** Damaged places of the database file. */
  readonly damage: number;
  readonly feedReaders: number;
  readonly feedReadersDropped: number;
  /** From an agent's output to the feeds, in seconds. */
  readonly eventLag: Histogram;
  /** Duration of one commit, in seconds. */
  readonly commitLatency: Histogram;
}

export interface Histogram {
  /** Cumulative counts by upper bound in seconds. */
  readonly buckets: readonly { readonly le: number; readonly count: number }[];
  readonly count: number;
  readonly sum: number;
}

const BOUNDS_S = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export function createHistogram() {
  const counts = BOUNDS_S.map(() => 0);
  let count = 0;
  let sum = 0;
  return {
    add(ms: number): void {
      const seconds = ms / 1_000;
      count += 1;
      sum += seconds;
      const first = BOUNDS_S.findIndex((bound) => seconds <= bound);
      if (first >= 0) counts[first] = (counts[first] ?? 0) + 1;
    },
    read(): Histogram {
      let atMost = 0;
      const buckets = BOUNDS_S.map((le, index) => {
        atMost += counts[index] ?? 0;
        return { le, count: atMost };
      });
      return { buckets, count, sum };
    },
  };
}
