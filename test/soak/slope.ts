export interface Slope {
  readonly perHour: number;
  /** Half of the 95 % confidence interval; infinite with too few points. */
  readonly marginPerHour: number;
}

export interface Point {
  readonly atMs: number;
  readonly value: number;
}

/** Linear regression by least squares. */
export function slopeOf(points: readonly Point[]): Slope {
  const count = points.length;
  const meanAt = mean(points.map(({ atMs }) => atMs));
  const meanValue = mean(points.map(({ value }) => value));
  const spread = sum(points.map(({ atMs }) => (atMs - meanAt) ** 2));
  if (count < 3 || spread === 0) return { perHour: 0, marginPerHour: Infinity };
  const perMs =
    sum(points.map(({ atMs, value }) => (atMs - meanAt) * (value - meanValue))) / spread;
  const residuals = points.map(({ atMs, value }) => value - meanValue - perMs * (atMs - meanAt));
  const deviation = Math.sqrt(sum(residuals.map((each) => each ** 2)) / (count - 2) / spread);
  return {
    perHour: perMs * HOUR_MS,
    marginPerHour: studentQuantile(count - 2) * deviation * HOUR_MS,
  };
}

const HOUR_MS = 3_600_000;

/** The 97.5 % quantile, accurate enough for three or more degrees of freedom. */
function studentQuantile(degrees: number): number {
  return 1.96 + 2.4 / degrees + 8 / degrees ** 3;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}
