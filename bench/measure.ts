export interface Figures {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly count: number;
}

/** Measures each call, after a few calls that are not counted. */
export async function measure(
  count: number,
  work: (index: number) => unknown,
  { warmUp = Math.min(50, count) }: { warmUp?: number } = {},
): Promise<Figures> {
  for (let index = 0; index < warmUp; index += 1) await work(index);
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const start = performance.now();
    await work(index);
    times.push(performance.now() - start);
  }
  return figuresOf(times);
}

export function figuresOf(times: readonly number[]): Figures {
  return { p50Ms: percentileOf(times, 0.5), p99Ms: percentileOf(times, 0.99), count: times.length };
}

export function percentileOf(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
