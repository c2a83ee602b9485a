import { countOf, percentileMs, type Latencies } from "./latencies.ts";
import type { Sample } from "./run-soak.ts";

/** One line of progress. */
export function printSample({ atMs, process: system, files, inside, load }: Sample): string {
  const { sender, readers } = load;
  const updates = readers[0]?.updates ?? { counts: [], maxMs: 0 };
  const open = readers.reduce((total, reader) => total + reader.open, 0);
  const wrong = readers.reduce(
    (total, { violations }) => total + violations.length,
    sender.violations.length,
  );
  return [
    `${(atMs / 1_000).toFixed(0)} s`,
    `updates ${times(updates)}`,
    `sends ${times(sender.sends)}`,
    `refused ${JSON.stringify(sender.refused)}`,
    `held back ${sender.heldBack}`,
    `loop p99 ${inside.loopP99Ms.toFixed(0)} ms`,
    `heap ${mb(inside.heapBytes)}`,
    `processor ${(system.processorMs / 1_000).toFixed(1)} s`,
    `resident ${mb(system.residentBytes)}`,
    `handles ${system.handles}`,
    `children ${system.children}`,
    `clients ${open}`,
    `wal ${mb(files.walBytes)}`,
    ...(wrong === 0 ? [] : [`${wrong} VIOLATIONS`]),
  ].join(", ");
}

function times(latencies: Latencies): string {
  const [p50, p99] = [0.5, 0.99].map((part) => percentileMs(latencies, part).toFixed(1));
  return `${countOf(latencies)} (${p50} · ${p99} ms)`;
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
