import { clockText } from "../../ui/time.ts";

const day = new Intl.DateTimeFormat("en", { weekday: "long", month: "long", day: "numeric" });
const dayAndYear = new Intl.DateTimeFormat("en", { dateStyle: "long" });

/** "Today", "Yesterday", or the date. */
export function dayText(time: string, now: Date): string {
  const date = new Date(time);
  if (isSameDay(date, now)) return "Today";
  const before = new Date(now);
  before.setDate(now.getDate() - 1);
  if (isSameDay(date, before)) return "Yesterday";
  return (date.getFullYear() === now.getFullYear() ? day : dayAndYear).format(date);
}

/** The time of day, with the day if it was not today. */
export function seenText(time: string, now: Date): string {
  const text = dayText(time, now);
  if (text === "Today") return clockText(time);
  return `${text === "Yesterday" ? "yesterday" : text}, ${clockText(time)}`;
}

function isSameDay(one: Date, other: Date): boolean {
  return one.toDateString() === other.toDateString();
}
