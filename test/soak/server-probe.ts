/** Preloaded into the server: reports internal figures on request, and stops the server with its parent. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { InsideFigures } from "./soak-server.ts";

const RESOLUTION_MS = 10;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

process.on("message", () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const figures: InsideFigures = {
    heapBytes: heapUsed,
    externalBytes: external,
    loopP50Ms: delayMs(delay.percentile(50)),
    loopP99Ms: delayMs(delay.percentile(99)),
    loopMaxMs: delayMs(delay.max),
  };
  process.send?.(figures);
  // Excludes the delay of this garbage collection.
  setImmediate(() => delay.reset());
});
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();

/** The histogram contains whole intervals, so the resolution is subtracted. */
function delayMs(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
}
