import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { MARKER_VARIABLE, readMarker } from "./agent-environment.ts";

/** Which processes are meant: those of one agent, or of all agents of a server. */
export interface Sweep {
  readonly owner: string;
  readonly agent?: string;
}

export interface Swept {
  /** Whether processes can be found by their marker here, or only by their group. */
  readonly by: "marker" | "group";
  readonly killed: readonly number[];
  /** Those that would not go in the time there was. */
  readonly left: readonly number[];
}

/**
 * Ends every process that carries the marker of an agent, wherever it has gone: other groups, other sessions, no parent.
 * Goes on until none is found, because one that is being ended can still start another.
 */
export async function sweepAgents(
  sweep: Sweep,
  { withinMs = 5000 }: { readonly withinMs?: number } = {},
): Promise<Swept> {
  if (!existsSync("/proc/self/environ")) return { by: "group", killed: [], left: [] };
  const killed = new Set<number>();
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await findMarked(sweep);
    if (found.length === 0) return { by: "marker", killed: [...killed], left: [] };
    if (performance.now() > deadline) return { by: "marker", killed: [...killed], left: found };
    for (const pid of found) if (kill(pid)) killed.add(pid);
    await pause(10);
  }
}

/** Processes with the marker, and their descendants, whatever these have made of their environment. */
export async function findMarked(sweep: Sweep): Promise<readonly number[]> {
  const processes = await readProcesses(sweep);
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  const marked = new Set(processes.filter(({ isMarked }) => isMarked).map(({ pid }) => pid));
  const ours = new Set(lineOf(process.pid, parents));
  return processes
    .map(({ pid }) => pid)
    .filter((pid) => !ours.has(pid) && lineOf(pid, parents).some((one) => marked.has(one)))
    .filter((pid) => !isInsideUs(pid, { marked, parents }));
}

interface Found {
  readonly pid: number;
  readonly parent: number;
  readonly isMarked: boolean;
}

async function readProcesses(sweep: Sweep): Promise<readonly Found[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: Found[] = [];
  const queue = pids.values();
  const reader = async (): Promise<void> => {
    for (const pid of queue) {
      const process = await readProcess(pid, sweep);
      if (process !== null) found.push(process);
    }
  };
  await Promise.all(Array.from({ length: READERS }, reader));
  return found;
}

/** Null when it has ended, or is not ours to look at. */
async function readProcess(pid: number, sweep: Sweep): Promise<Found | null> {
  try {
    const [stat, environ] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "latin1"),
      readFile(`/proc/${pid}/environ`, "utf8").catch(() => ""),
    ]);
    // The name in parentheses may hold anything, also parentheses.
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return null;
    return { pid, parent: Number(parent), isMarked: carries(environ, sweep) };
  } catch {
    return null;
  }
}

function carries(environ: string, { owner, agent }: Sweep): boolean {
  const prefix = `${MARKER_VARIABLE}=`;
  const variable = environ.split("\0").find((entry) => entry.startsWith(prefix));
  const marker = variable === undefined ? null : readMarker(variable.slice(prefix.length));
  return marker !== null && marker.owner === owner && (agent ?? marker.agent) === marker.agent;
}

/** A process and its ancestors, itself first. */
function lineOf(pid: number, parents: ReadonlyMap<number, number>): readonly number[] {
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

/**
 * A server can itself have been started inside an agent. Then its own children descend from a marked process, too, and
 * are meant only when a marked process stands between them and us.
 */
function isInsideUs(
  pid: number,
  { marked, parents }: { marked: ReadonlySet<number>; parents: ReadonlyMap<number, number> },
): boolean {
  const line = lineOf(pid, parents);
  const us = line.indexOf(process.pid);
  return us !== -1 && !line.slice(0, us).some((one) => marked.has(one));
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}

const READERS = 16;
