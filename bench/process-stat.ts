import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const TICKS_PER_SECOND = 100;

/** CPU time of a process and all its threads, without its children. */
function cpuMsOf(pid: number): number {
  return msOfTicks(statOf(pid).slice(USED, ENDED_CHILDREN));
}

export function cpuMsOfAll(pids: readonly number[]): number {
  return pids.reduce((total, pid) => total + cpuMsOf(pid), 0);
}

/** CPU time of a process and of all its children, also of those that have ended. */
export function cpuMsWithChildren(pid: number): number {
  const living = childrenOf(pid).reduce((total, child) => total + cpuMsOfLiving(child), 0);
  return living + msOfTicks(statOf(pid).slice(USED, ENDED_CHILDREN + 2));
}

/** Nothing for a process that has just ended: its parent has its time then. */
function cpuMsOfLiving(pid: number): number {
  try {
    return cpuMsOf(pid);
  } catch {
    return 0;
  }
}

/** The process that started a process. */
export function parentOf(pid: number): number {
  return Number(statOf(pid)[PARENT]);
}

/** Positions in the fields of a process after its name. The times are pairs, of the program and of the system. */
const PARENT = 1;
const USED = 11;
const ENDED_CHILDREN = 13;

function statOf(pid: number): readonly string[] {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

function msOfTicks(ticks: readonly string[]): number {
  const all = ticks.reduce((total, one) => total + Number(one), 0);
  return (all * 1_000) / TICKS_PER_SECOND;
}

export function childrenOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return children.split(" ").filter(Boolean).map(Number);
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
export async function untilSettled(pid: number, { withinMs = 150_000 } = {}): Promise<void> {
  await pause(CHECK_STARTS_MS);
  await untilQuiet(pid, { withinMs });
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
