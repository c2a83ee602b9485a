const DAY_MS = 86_400_000;
const YEAR_10000_MS = 253_402_300_800_000;
/** The number of cached days. A list has few. */
const MAX_DAYS = 1_000;
const dates = new Map<number, string>();

/** Like `toISOString`, which takes longer than the rest of the work on a row of a list. */
export function toTime(at: number): string {
  if (!(at >= 0 && at < YEAR_10000_MS)) return new Date(at).toISOString();
  const ms = Math.trunc(at);
  const day = Math.floor(ms / DAY_MS);
  const inDay = ms - day * DAY_MS;
  const [hours, minutes] = [Math.floor(inDay / 3_600_000), Math.floor(inDay / 60_000) % 60];
  const [seconds, rest] = [Math.floor(inDay / 1_000) % 60, inDay % 1_000];
  return `${dateOf(day)}T${two(hours)}:${two(minutes)}:${two(seconds)}.${rest < 100 ? `0${two(rest)}` : rest}Z`;
}

export function toTimeOrNull(at: number | null): string | null {
  return at === null ? null : toTime(at);
}

function dateOf(day: number): string {
  const cached = dates.get(day);
  if (cached !== undefined) return cached;
  if (dates.size >= MAX_DAYS) dates.clear();
  const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
  dates.set(day, date);
  return date;
}

const two = (value: number): string => (value < 10 ? `0${value}` : String(value));
