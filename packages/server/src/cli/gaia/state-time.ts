import { isObject } from "../../storage/rows/parse.ts";
import type { Json, JsonObject } from "../../domain/json.ts";

/**
 * A time as Python writes it: with or without a fraction, an offset or a `Z`. One without an offset is
 * UTC, as GAIA's own scripts take it. Null when it is none, or before 1970.
 */
export function parseStateTime(text: string): number | null {
  const [, date = "", time = "", fraction = "", sign = "+", hours = "0", minutes = "0"] =
    PYTHON_TIME.exec(text) ?? [];
  const local = Date.parse(`${date}T${time}Z`);
  // A day that the month has not is taken for one of the next.
  if (new Date(local).getUTCDate() !== Number(date.slice(8))) return null;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  const at = local + Number(`${fraction}000`.slice(0, 3)) - (sign === "-" ? -offsetMs : offsetMs);
  return at >= 0 ? at : null;
}

const PYTHON_TIME =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):?(\d\d)(?::\d\d(?:\.\d+)?)?)?$/u;

/** As Python's `isoformat` writes a time in UTC: microseconds only where there are some, never a `Z`. */
export function toStateTime(at: number): string {
  const thousandths = at % 1_000;
  return inSeconds(at, thousandths === 0 ? "" : String(thousandths).padStart(3, "0"));
}

/**
 * The state with each time of GAIA's in UTC, in the form that every Python since 3.7 reads: `fromisoformat` learned to read a `Z`,
 * an offset without a colon and a fraction of other than three or six digits in 3.11. Microseconds are kept. Values that are not
 * times stay as they are.
 */
export function withPythonTimes(state: JsonObject): JsonObject {
  const { last_error: error, history } = state;
  return {
    ...withTimes(state, STATE_TIMES),
    ...(isList(history) && { history: history.map(withTimestamp) }),
    ...(error !== undefined && { last_error: withTimestamp(error) }),
  };
}

const STATE_TIMES = ["created_at", "last_updated", "finalized_at"];

function withTimestamp(value: Json): Json {
  return isObject(value) ? withTimes(value, ["timestamp"]) : value;
}

function withTimes(fields: JsonObject, names: readonly string[]): JsonObject {
  const times = names.flatMap((name): [string, Json][] => {
    const value = fields[name];
    return typeof value === "string" ? [[name, toPythonTime(value)]] : [];
  });
  return { ...fields, ...Object.fromEntries(times) };
}

function toPythonTime(text: string): string {
  const at = parseStateTime(text);
  return at === null ? text : inSeconds(at, PYTHON_TIME.exec(text)?.[3] ?? "");
}

function inSeconds(at: number, fraction: string): string {
  const seconds = new Date(at).toISOString().slice(0, 19);
  return `${seconds}${fraction === "" ? "" : `.${fraction.slice(0, 6).padEnd(6, "0")}`}+00:00`;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
