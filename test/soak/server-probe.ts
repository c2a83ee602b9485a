/** Loaded into the server before its program: tells of its inside when asked, and ends with whoever started it. */
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
    loopP50Ms: late(delay.percentile(50)),
    loopP99Ms: late(delay.percentile(99)),
    loopMaxMs: late(delay.max),
  };
  process.send?.(figures);
  // The collection that was made for this is not the server's.
  setImmediate(() => delay.reset());
});
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();

/** The histogram has the time from one look to the next. */
function late(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
}
