import type { CDPSession } from "playwright-core";

/** CPU time of the page's main thread so far, in the enabled time domain. */
export async function taskMs(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send("Performance.getMetrics");
  return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
}
