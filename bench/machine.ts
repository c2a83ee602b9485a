import { readFileSync, writeFileSync } from "node:fs";
import { cpus, getPriority, loadavg, release, setPriority, totalmem } from "node:os";
import { setTimeout as pause } from "node:timers/promises";

export function describeMachine(): string {
  const [cpu] = cpus();
  return `${cpus().length} × ${cpu?.model ?? "?"}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${release()}, Node ${process.versions.node}`;
}

const PRIORITY = -18;

/** Raises the priority of this process and its children above all others. Returns false if that is not allowed. */
export function takePriority(): boolean {
  try {
    setPriority(PRIORITY);
    // Linux schedules process groups first, if autogroups are enabled.
    writeFileSync("/proc/self/autogroup", String(PRIORITY));
    return true;
  } catch {
    return false;
  }
}

export interface Noise {
  /** Share of all CPUs used by other programs while the benchmark was idle; the maximum of all samples. */
  readonly othersShare: number;
  /** Share of the run's CPU time taken by the hypervisor. */
  readonly stealShare: number;
  readonly load: number;
  /** A warning about the figures; null if the machine was quiet. */
  readonly warning: string | null;
}

const SAMPLE_MS = 300;
const BUSY_SHARE = 0.1;
const STEAL_SHARE = 0.02;

/** Samples the machine while the benchmark itself is idle. */
export function watchMachine(): {
  sample(): Promise<void>;
  noise(): Noise;
} {
  const startTimes = readTimes();
  let othersShare = 0;
  return {
    async sample() {
      const before = readTimes();
      await pause(SAMPLE_MS);
      const after = readTimes();
      othersShare = Math.max(othersShare, shareOf(before, after, "busy"));
    },
    noise() {
      const stealShare = shareOf(startTimes, readTimes(), "steal");
      const load = loadavg()[0] ?? 0;
      const isBusy = othersShare > BUSY_SHARE || stealShare > STEAL_SHARE;
      const warning = isBusy
        ? `The machine was busy: other programs used up to ${percent(othersShare)} of it between measurements, ` +
          `${percent(stealShare)} was steal time, load ${load.toFixed(1)}. ` +
          (getPriority() < 0 ? "The servers had priority over them, a database did not. " : "") +
          "Compare only the ratios, and with care."
        : null;
      return { othersShare, stealShare, load, warning };
    },
  };
}

interface Times {
  readonly busy: number;
  readonly steal: number;
  readonly total: number;
}

function readTimes(): Times {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const fields = line.trim().split(/\s+/u).slice(1, 9).map(Number);
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, soft = 0, steal = 0] =
    fields;
  const busy = user + nice + system + irq + soft;
  return { busy, steal, total: busy + idle + iowait + steal };
}

function shareOf(before: Times, after: Times, kind: "busy" | "steal"): number {
  return (after[kind] - before[kind]) / Math.max(1, after.total - before.total);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
