/** Latencies in buckets that are 5 percent apart. They can be summed over processes and take little memory. */
export interface Latencies {
  readonly counts: readonly number[];
  readonly maxMs: number;
}

const STEP = Math.log(1.05);

export class LatencyRecorder {
  #counts: number[] = [];
  #maxMs = 0;

  add(ms: number): void {
    const bucket = ms <= 0.001 ? 0 : Math.ceil(Math.log(ms * 1_000) / STEP);
    while (this.#counts.length <= bucket) this.#counts.push(0);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#maxMs = Math.max(this.#maxMs, ms);
  }

  /** The latencies since the last call. */
  take(): Latencies {
    const taken = { counts: this.#counts, maxMs: this.#maxMs };
    this.#counts = [];
    this.#maxMs = 0;
    return taken;
  }
}

export function addLatencies(all: readonly Latencies[]): Latencies {
  const length = Math.max(0, ...all.map(({ counts }) => counts.length));
  return {
    counts: Array.from({ length }, (_, bucket) =>
      all.reduce((sum, { counts }) => sum + (counts[bucket] ?? 0), 0),
    ),
    maxMs: Math.max(0, ...all.map(({ maxMs }) => maxMs)),
  };
}

/** The upper bound of the bucket that contains this percentile; NaN without latencies. */
export function percentileMs({ counts }: Latencies, part: number): number {
  const total = countOf({ counts });
  let covered = 0;
  for (const [bucket, count] of counts.entries()) {
    covered += count;
    if (count > 0 && covered >= total * part) return Math.exp(bucket * STEP) / 1_000;
  }
  return Number.NaN;
}

export function countOf({ counts }: Pick<Latencies, "counts">): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
