import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const TICKS_PER_SECOND = 100;

/** CPU time of a process and all its threads, without its children. */
export function cpuMsOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}

export function residentBytesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1]) * 1024;
}

/** Resident memory in which a page that several processes share counts only in part for each of them. */
export function proportionalBytesOf(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB$/mu.exec(rollup)?.[1]) * 1024;
}

/** Holdfast checks every stored session once, two seconds after its start. */
const CHECK_STARTS_MS = 2_500;

/** Waits until the background work after the start of a server has ended. */
export async function untilSettled(pid: number): Promise<void> {
  await pause(CHECK_STARTS_MS);
  await untilQuiet(pid, { withinMs: 150_000 });
}

const SAMPLE_MS = 250;
const IDLE_MS = 10;

/** Waits until a process has been idle for half a second. */
export async function untilQuiet(pid: number, { withinMs = 60_000 } = {}): Promise<void> {
  const deadline = performance.now() + withinMs;
  let quiet = 0;
  while (quiet < 2 && performance.now() < deadline) {
    const before = cpuMsOf(pid);
    await pause(SAMPLE_MS);
    quiet = cpuMsOf(pid) - before <= IDLE_MS ? quiet + 1 : 0;
  }
}
