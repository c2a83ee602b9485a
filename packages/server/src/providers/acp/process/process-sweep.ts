import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setImmediate, setTimeout as pause } from "node:timers/promises";
import { MARKER_VARIABLE, readMarker } from "./agent-environment.ts";

/** The processes of one agent, or of all agents of a server. */
export interface SweepTarget {
  readonly owner: string;
  readonly agent?: string;
  /** Agents that are left alone. */
  readonly except?: readonly string[];
}

export interface SweepResult {
  /** `group`: this system does not show markers, so only process groups were killed. */
  readonly by: "marker" | "group";
  readonly killed: readonly number[];
  /** Processes that were still there at the timeout. */
  readonly left: readonly number[];
}

export const NOTHING_SWEPT: SweepResult = { by: "marker", killed: [], left: [] };

/**
 * Kills every process with the marker of an agent, even if it left the process group, the session or its parent.
 * Repeats until none is found, because a dying process can still start another, and until each process has shown its
 * environment.
 */
export async function sweepAgents(
  target: SweepTarget,
  { withinMs = 5000 }: { readonly withinMs?: number } = {},
): Promise<SweepResult> {
  if (!existsSync("/proc/self/environ")) return { by: "group", killed: [], left: [] };
  const killed = new Set<number>();
  const bare = new Set<number>();
  const deadline = performance.now() + withinMs;
  for (;;) {
    const { marked, newlyBare } = await scan(target, bare);
    // A killed process may take a while to exit, and no longer shows its marker.
    const dying = [...killed].filter((pid) => readStat(pid) !== null);
    const left = [...new Set([...marked, ...dying])];
    const isDone = left.length === 0 && newlyBare.length === 0;
    if (isDone || performance.now() > deadline) return { by: "marker", killed: [...killed], left };
    for (const pid of marked) if (kill(pid)) killed.add(pid);
    for (const pid of newlyBare) bare.add(pid);
    await pause(10);
  }
}

/** Processes with the marker and their descendants, which may have changed their environment. */
export async function findMarked(target: SweepTarget): Promise<readonly number[]> {
  return (await scan(target, new Set())).marked;
}

interface Scan {
  readonly marked: readonly number[];
  /** Processes without an environment, except those in `bare`. A process shows none for a moment during `exec`. */
  readonly newlyBare: readonly number[];
}

async function scan(target: SweepTarget, bare: ReadonlySet<number>): Promise<Scan> {
  const pids = readdirSync("/proc").flatMap((name) => (/^\d+$/u.test(name) ? [Number(name)] : []));
  const withoutEnvironment: number[] = [];
  const carriers = new Set(
    await filterInSlices(pids, (pid) => {
      const environ = readEnvironment(pid);
      if (environ === "" && !bare.has(pid)) withoutEnvironment.push(pid);
      return environ !== null && hasMarker(environ, target);
    }),
  );
  return {
    marked: carriers.size === 0 ? [] : await withDescendants(pids, carriers),
    newlyBare: withoutEnvironment.filter(isUserProcess),
  };
}

async function withDescendants(
  pids: readonly number[],
  carriers: ReadonlySet<number>,
): Promise<readonly number[]> {
  const parents = new Map<number, number>();
  const alive = await filterInSlices(pids, (pid) => {
    const stat = readStat(pid);
    if (stat !== null) parents.set(pid, stat.parent);
    return stat !== null;
  });
  const protectedPids = new Set(ancestry(process.pid, parents));
  return alive.filter((pid) => {
    if (protectedPids.has(pid)) return false;
    const line = ancestry(pid, parents);
    // A server can itself run inside an agent. Then only marked processes between it and its child count.
    const server = line.indexOf(process.pid);
    return line.slice(0, server === -1 ? undefined : server).some((each) => carriers.has(each));
  });
}

/**
 * Reading a file of /proc takes microseconds, and ten times as long through the thread pool. Between slices the event
 * loop handles other work.
 */
const SLICE = 64;

async function filterInSlices(
  pids: readonly number[],
  predicate: (pid: number) => boolean,
): Promise<readonly number[]> {
  const selected: number[] = [];
  for (const [index, pid] of pids.entries()) {
    if (index % SLICE === SLICE - 1) await setImmediate();
    if (predicate(pid)) selected.push(pid);
  }
  return selected;
}

/** Null if the process has exited or belongs to another user. */
function readEnvironment(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return null;
  }
}

/** False for kernel threads, which have no environment. */
function isUserProcess(pid: number): boolean {
  const stat = readStat(pid);
  return stat !== null && (stat.flags & KERNEL_THREAD) === 0;
}

const KERNEL_THREAD = 0x20_00_00;

export interface ProcessStat {
  readonly parent: number;
  readonly flags: number;
  /** When it started, in clock ticks since the machine did. */
  readonly start: string;
}

/** Null if the process has exited. */
export function readStat(pid: number): ProcessStat | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses can contain anything, even parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, parent] = fields;
    const isOver = state === "Z" || state === "X";
    if (isOver) return null;
    return { parent: Number(parent), flags: Number(fields[6]), start: fields[19] ?? "" };
  } catch {
    return null;
  }
}

function hasMarker(environ: string, { owner, agent, except = [] }: SweepTarget): boolean {
  const prefix = `${MARKER_VARIABLE}=`;
  if (!environ.includes(prefix)) return false;
  const variable = environ.split("\0").find((entry) => entry.startsWith(prefix));
  const marker = variable === undefined ? null : readMarker(variable.slice(prefix.length));
  if (marker === null || except.includes(marker.agent)) return false;
  return marker.owner === owner && (agent ?? marker.agent) === marker.agent;
}

/** A process and its ancestors, itself first. */
function ancestry(pid: number, parents: ReadonlyMap<number, number>): readonly number[] {
  const line = [pid];
  for (
    let parent = parents.get(pid);
    parent !== undefined && !line.includes(parent);
    parent = parents.get(parent)
  ) {
    line.push(parent);
  }
  return line;
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}
