export interface Slope {
  readonly perHour: number;
  /** Half of the interval in which it is with 95 % confidence; infinite when there is too little to tell. */
  readonly marginPerHour: number;
}

export interface Point {
  readonly atMs: number;
  readonly value: number;
}

/** By least squares. */
export function slopeOf(points: readonly Point[]): Slope {
  const count = points.length;
  const meanAt = mean(points.map(({ atMs }) => atMs));
  const meanValue = mean(points.map(({ value }) => value));
  const spread = sum(points.map(({ atMs }) => (atMs - meanAt) ** 2));
  if (count < 3 || spread === 0) return { perHour: 0, marginPerHour: Infinity };
  const perMs =
    sum(points.map(({ atMs, value }) => (atMs - meanAt) * (value - meanValue))) / spread;
  const rest = points.map(({ atMs, value }) => value - meanValue - perMs * (atMs - meanAt));
  const deviation = Math.sqrt(sum(rest.map((each) => each ** 2)) / (count - 2) / spread);
  return {
    perHour: perMs * HOUR_MS,
    marginPerHour: studentQuantile(count - 2) * deviation * HOUR_MS,
  };
}

const HOUR_MS = 3_600_000;

/** Of 97.5 %, close enough from three degrees of freedom on. */
function studentQuantile(degrees: number): number {
  return 1.96 + 2.4 / degrees + 8 / degrees ** 3;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}
