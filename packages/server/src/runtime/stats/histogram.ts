import type { Histogram } from "../runtime.ts";

const BOUNDS_S = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export interface OpenHistogram {
  add(ms: number): void;
  read(): Histogram;
}

export function createHistogram(): OpenHistogram {
  const counts = BOUNDS_S.map(() => 0);
  let count = 0;
  let sum = 0;
  return {
    add(ms) {
      const seconds = ms / 1_000;
      count += 1;
      sum += seconds;
      const first = BOUNDS_S.findIndex((bound) => seconds <= bound);
      if (first >= 0) counts[first] = (counts[first] ?? 0) + 1;
    },
    read() {
      let atMost = 0;
      const buckets = BOUNDS_S.map((le, index) => {
        atMost += counts[index] ?? 0;
        return { le, count: atMost };
      });
      return { buckets, count, sum };
    },
  };
}
