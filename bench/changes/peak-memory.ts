import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

export interface PeakMemory {
  /** Of all processes that this one started, together. */
  readonly childrenBytes: number;
  /** How much this process grew. */
  readonly grownBytes: number;
}

const EVERY_MS = 1;

/** Looks at the memory while the work is done, which slows it down. Pages that processes share count in each of them. */
export async function peakMemoryOf(work: () => Promise<unknown>): Promise<PeakMemory> {
  const before = process.memoryUsage.rss();
  let [childrenBytes, ownBytes, isDone] = [0, before, false];
  const working = work().finally(() => (isDone = true));
  while (!isDone) {
    childrenBytes = Math.max(childrenBytes, residentBytesBelow(process.pid));
    ownBytes = Math.max(ownBytes, process.memoryUsage.rss());
    await pause(EVERY_MS);
  }
  await working;
  return { childrenBytes, grownBytes: ownBytes - before };
}

function residentBytesBelow(root: number): number {
  const processes = readdirSync("/proc").flatMap((name) => {
    const status = Number.isInteger(Number(name)) ? readStatus(name) : "";
    const parent = Number(/^PPid:\s+(\d+)$/mu.exec(status)?.[1]);
    const bytes = Number(/^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1] ?? 0) * 1024;
    return status === "" ? [] : [{ pid: Number(name), parent, bytes }];
  });
  const below = (pid: number): number =>
    processes
      .filter(({ parent }) => parent === pid)
      .reduce((sum, child) => sum + child.bytes + below(child.pid), 0);
  return below(root);
}

/** Empty if the process has ended. */
function readStatus(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}
