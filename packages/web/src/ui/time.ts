const UNITS = [
  ["year", 365 * 24 * 3_600],
  ["month", 30 * 24 * 3_600],
  ["week", 7 * 24 * 3_600],
  ["day", 24 * 3_600],
  ["hour", 3_600],
  ["minute", 60],
] as const satisfies readonly (readonly [Intl.RelativeTimeFormatUnit, number])[];

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" });
const absolute = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });

const clock = new Intl.DateTimeFormat("en", {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** Such as "09:02". */
export function clockText(time: string): string {
  return clock.format(new Date(time));
}

/** Such as "5m ago"; "now" for less than a minute. */
export function relativeTime(time: string, nowMs: number): string {
  const seconds = (Date.parse(time) - nowMs) / 1_000;
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length);
  if (unit === undefined) return "now";
  const [name, length] = unit;
  return relative.format(Math.trunc(seconds / length), name);
}

export function absoluteTime(time: string): string {
  return absolute.format(new Date(time));
}

/** Such as "4 s", "3 min 20 s", "2 h 5 min". */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return withRest(`${minutes} min`, seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return withRest(`${hours} h`, minutes % 60, "min");
  return withRest(`${Math.floor(hours / 24)} d`, hours % 24, "h");
}

function withRest(whole: string, rest: number, unit: string): string {
  return rest === 0 ? whole : `${whole} ${rest} ${unit}`;
}
