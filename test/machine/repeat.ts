/** The everyday run tries each law a few times; `npm run test:long` sets this variable and tries it as often as it can. */
export const isLongRun = process.env["HOLDFAST_TEST_LONG"] === "1";

/** How often a law is tried, or how large its sample is: few times every day, more often in the long run. */
export function repeat<Value>({
  short,
  long,
}: {
  readonly short: Value;
  readonly long: Value;
}): Value {
  return isLongRun ? long : short;
}
