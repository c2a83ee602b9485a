import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const TICKS_PER_SECOND = 100;

/** Processor time of a process and all its threads, not of its children. */
export function cpuMsOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}

export function residentBytesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1]) * 1024;
}

/** Holdfast looks at every stored session once, two seconds after its start. */
const BEGINS_WITHIN_MS = 2_500;

/** A server that has just started has work of its own to do; whoever measures waits for its beginning and its end. */
export async function untilSettled(pid: number): Promise<void> {
  await pause(BEGINS_WITHIN_MS);
  await untilQuiet(pid, { withinMs: 150_000 });
}

const LOOK_MS = 250;
const IDLE_MS = 10;

/** Until a process has had nothing to do for half a second. */
export async function untilQuiet(pid: number, { withinMs = 60_000 } = {}): Promise<void> {
  const deadline = performance.now() + withinMs;
  let quiet = 0;
  while (quiet < 2 && performance.now() < deadline) {
    const before = cpuMsOf(pid);
    await pause(LOOK_MS);
    quiet = cpuMsOf(pid) - before <= IDLE_MS ? quiet + 1 : 0;
  }
}
