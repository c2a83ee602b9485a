import { relativeTime } from "./time.ts";

/** Such as "removed in 6d"; "removed soon" when that may be any moment. */
export function removalText(removeAt: string, nowMs: number): string {
  const when = relativeTime(removeAt, nowMs);
  return when.startsWith("in ") ? `removed ${when}` : "removed soon";
}
