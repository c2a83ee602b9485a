import { readFileSync, writeFileSync } from "node:fs";
import { cpus, getPriority, loadavg, release, setPriority, totalmem } from "node:os";
import { setTimeout as pause } from "node:timers/promises";

export function describeMachine(): string {
  const [cpu] = cpus();
  return `${cpus().length} × ${cpu?.model ?? "?"}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${release()}, Node ${process.versions.node}`;
}

const FIRST = -18;

/** Before everything else on this machine, with all that is started from here; false where that is not allowed. */
export function takePriority(): boolean {
  try {
    setPriority(FIRST);
    // Linux weighs whole groups of processes first; without them the line above is all there is.
    writeFileSync("/proc/self/autogroup", String(FIRST));
    return true;
  } catch {
    return false;
  }
}

export interface Noise {
  /** Of all processors, while nothing of ours had anything to do: what others took, as the greatest of all looks. */
  readonly othersShare: number;
  /** Of the whole run: what the machine under this one kept to itself. */
  readonly stealShare: number;
  readonly load: number;
  /** What a reader must know about the figures; null when the machine was quiet. */
  readonly warning: string | null;
}

const LOOK_MS = 300;
const BUSY_SHARE = 0.1;
const STEAL_SHARE = 0.02;

/** Looks at the machine whenever the benchmark itself has nothing to do. */
export function watchMachine(): {
  look(): Promise<void>;
  noise(): Noise;
} {
  const begun = readTimes();
  let othersShare = 0;
  return {
    async look() {
      const before = readTimes();
      await pause(LOOK_MS);
      const after = readTimes();
      othersShare = Math.max(othersShare, shareOf(before, after, "busy"));
    },
    noise() {
      const stealShare = shareOf(begun, readTimes(), "steal");
      const load = loadavg()[0] ?? 0;
      const isBusy = othersShare > BUSY_SHARE || stealShare > STEAL_SHARE;
      const warning = isBusy
        ? `The machine was busy: others took up to ${percent(othersShare)} of it between measurements, ` +
          `${percent(stealShare)} was stolen, load ${load.toFixed(1)}. ` +
          (getPriority() < 0 ? "The servers went before them, a database did not. " : "") +
          "Read ratios only, and those with care."
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

function shareOf(before: Times, after: Times, what: "busy" | "steal"): number {
  return (after[what] - before[what]) / Math.max(1, after.total - before.total);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
