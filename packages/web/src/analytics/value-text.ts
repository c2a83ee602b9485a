import { durationText } from "../ui/time.ts";
import { moneyText } from "../ui/money.ts";

/** The unit of a number, which decides its format. */
export type Unit =
  | { readonly is: "count" | "tokens" | "rate" | "duration" }
  | { readonly is: "money"; readonly currency: string };

/** Shown for a missing value. */
const NONE = "–";

const whole = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

export function valueText(value: number | null, unit: Unit): string {
  if (value === null) return NONE;
  switch (unit.is) {
    case "count":
      return whole.format(value);
    case "tokens":
      return compact.format(value);
    case "rate":
      return percent.format(value);
    case "duration":
      return value < 9_950 ? `${(value / 1_000).toFixed(1)} s` : durationText(value);
    case "money":
      return moneyText(value, unit.currency);
    default:
      return unit satisfies never;
  }
}

type Value = number | null;

export const countText = (value: Value): string => valueText(value, { is: "count" });
export const tokensText = (value: Value): string => valueText(value, { is: "tokens" });
export const rateText = (value: Value): string => valueText(value, { is: "rate" });
export const timeText = (value: Value): string => valueText(value, { is: "duration" });

/** One amount per currency. */
export function costText(cost: Readonly<Record<string, number>>): string {
  const amounts = Object.entries(cost).filter(([, amount]) => amount !== 0);
  return amounts.map(([currency, amount]) => moneyText(amount, currency)).join(", ") || NONE;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

const day = utcFormat({ year: "numeric", month: "short", day: "numeric" });
const shortDay = utcFormat({ month: "short", day: "numeric" });
const month = utcFormat({ month: "short", year: "numeric" });
const clock = utcFormat({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** The time of a bucket, in UTC. */
export function bucketText(startMs: number, bucketMs: number): string {
  if (bucketMs < DAY_MS) return `${day.format(startMs)}, ${clock.format(startMs)}`;
  if (bucketMs < WEEK_MS) return day.format(startMs);
  if (bucketMs === WEEK_MS) return `Week of ${day.format(startMs)}`;
  return `${Math.round(bucketMs / WEEK_MS)} weeks from ${day.format(startMs)}`;
}

/** A short form for the axis of a chart. */
export function tickText(startMs: number, bucketMs: number): string {
  if (bucketMs > WEEK_MS) return month.format(startMs);
  return bucketMs < DAY_MS && startMs % DAY_MS !== 0
    ? clock.format(startMs)
    : shortDay.format(startMs);
}

function utcFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en", { ...options, timeZone: "UTC" });
}
