/** Of several lengths of time, in milliseconds. */
export interface Durations {
  readonly median: number;
  readonly mean: number;
  readonly total: number;
}

/** Null of none. */
export function durationsOf(lengthsMs: readonly number[]): Durations | null {
  if (lengthsMs.length === 0) return null;
  const sorted = Float64Array.from(lengthsMs).sort();
  const total = sorted.reduce((sum, length) => sum + length, 0);
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return { median: (low + high) / 2, mean: total / sorted.length, total };
}
