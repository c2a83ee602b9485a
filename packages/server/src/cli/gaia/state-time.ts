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

/** Without the thousandths where there are none, as GAIA writes it. */
export function toStateTime(at: number): string {
  return new Date(at).toISOString().replace(".000Z", "Z");
}
