import { neutraliseLine } from "../terminal/neutralise.ts";
import type { Paint } from "../terminal/paint.ts";

const LEVELS: Readonly<Record<number, string>> = {
  20: "DEBUG",
  30: "INFO",
  40: "WARN",
  50: "ERROR",
  60: "FATAL",
};
const LEVEL_WIDTH = 5;

/** A line of the log for people: time, level, message, and the other fields. A line that is not JSON stays as it is. */
export function readableLine(line: string, paint: Paint): string {
  const entry = parse(line);
  if (entry === null) return neutraliseLine(line);
  const { level, time, msg, ...fields } = entry;
  const name = typeof level === "number" ? (LEVELS[level] ?? String(level)) : "";
  const others = Object.entries(fields).map(([key, value]) => `${key}=${fieldText(value)}`);
  const text = neutraliseLine([textOf(msg), ...others].join(" "));
  return `${paint.dim(neutraliseLine(textOf(time)))} ${styled(neutraliseLine(name).padEnd(LEVEL_WIDTH), paint)} ${text}`;
}

function styled(name: string, paint: Paint): string {
  if (name.startsWith("ERROR") || name.startsWith("FATAL")) return paint.red(name);
  return name.startsWith("WARN") ? paint.yellow(name) : name;
}

/** An error is its message; its stack stays in the file. */
function fieldText(value: unknown): string {
  if (isObject(value) && typeof value["message"] === "string" && "stack" in value)
    return JSON.stringify(value["message"]);
  if (typeof value === "string" && /^[^\s"=]+$/u.test(value)) return value;
  return JSON.stringify(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function parse(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
