import type { CDPSession } from "playwright-core";

/** What the page's main thread has worked so far, in the time it was told to count. */
export async function taskMs(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send("Performance.getMetrics");
  return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
}
