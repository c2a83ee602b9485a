import { isArray, isObject, type Json, type JsonObject } from "../../domain/json.ts";

/** Parses a time in one of Python's forms. Without an offset it is UTC, as in GAIA's scripts. Null before 1970. */
export function parseStateTime(text: string): number | null {
  const [, date = "", time = "", fraction = "", sign = "+", hours = "0", minutes = "0"] =
    PYTHON_TIME.exec(text) ?? [];
  const local = Date.parse(`${date}T${time}Z`);
  // JavaScript reads a day that the month does not have as a day of the next month.
  if (new Date(local).getUTCDate() !== Number(date.slice(8))) return null;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  const at = local + Number(`${fraction}000`.slice(0, 3)) - (sign === "-" ? -offsetMs : offsetMs);
  return at >= 0 ? at : null;
}

const PYTHON_TIME =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):?(\d\d)(?::\d\d(?:\.\d+)?)?)?$/u;

/** The form of Python's `isoformat` in UTC: microseconds only if they are not zero, never a `Z`. */
export function toStateTime(at: number): string {
  const thousandths = at % 1_000;
  return inSeconds(at, thousandths === 0 ? "" : String(thousandths).padStart(3, "0"));
}

/**
 * The state with its times in UTC, in the form that every Python since 3.7 reads. Before 3.11, `fromisoformat` cannot read
 * a `Z`, an offset without a colon, or a fraction of other than three or six digits. Other values stay unchanged.
 */
export function withPythonTimes(state: JsonObject): JsonObject {
  const { last_error: error, history } = state;
  return {
    ...withTimes(state, STATE_TIMES),
    ...(history !== undefined && isArray(history) && { history: history.map(withTimestamp) }),
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
