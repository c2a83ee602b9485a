/**
 * How often a test checks its law, or the size of its sample: the short value in everyday runs, the long one in
 * `npm run test:long`, which sets `HOLDFAST_TEST_LONG`. Random values differ from run to run, so that short runs add up.
 */
export function repeat<Value>({
  short,
  long,
}: {
  readonly short: Value;
  readonly long: Value;
}): Value {
  return process.env["HOLDFAST_TEST_LONG"] === "1" ? long : short;
}

export const isLongRun = repeat({ short: false, long: true });
