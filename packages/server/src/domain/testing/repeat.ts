/**
 * How often a test tries its law: `npm run test:long` sets `HOLDFAST_TEST_LONG` and gets the long count, every other run
 * the short one. New random values come with each run, so that short runs add up.
 */
export function repeat({ short, long }: { readonly short: number; readonly long: number }): number {
  return process.env["HOLDFAST_TEST_LONG"] === "1" ? long : short;
}
