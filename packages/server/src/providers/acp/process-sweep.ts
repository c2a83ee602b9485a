import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setImmediate, setTimeout as pause } from "node:timers/promises";
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
  const pids = readdirSync("/proc").flatMap((name) => (/^\d+$/u.test(name) ? [Number(name)] : []));
  const marked = new Set(await selectInSlices(pids, (pid) => carries(environmentOf(pid), sweep)));
  if (marked.size === 0) return [];
  const parents = new Map<number, number>();
  const living = await selectInSlices(pids, (pid) => {
    const parent = parentOf(pid);
    if (parent !== null) parents.set(pid, parent);
    return parent !== null;
  });
  const ours = new Set(lineOf(process.pid, parents));
  return living
    .filter((pid) => !ours.has(pid) && lineOf(pid, parents).some((one) => marked.has(one)))
    .filter((pid) => !isInsideUs(pid, { marked, parents }));
}

/** A file of /proc is read in microseconds, by way of the thread pool in ten times that; between slices others have their turn. */
const SLICE = 64;

async function selectInSlices(
  pids: readonly number[],
  isWanted: (pid: number) => boolean,
): Promise<readonly number[]> {
  const wanted: number[] = [];
  for (const [index, pid] of pids.entries()) {
    if (index % SLICE === SLICE - 1) await setImmediate();
    if (isWanted(pid)) wanted.push(pid);
  }
  return wanted;
}

/** Empty when it has ended, or is not ours to look at. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}

/** Null when it has ended. */
function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses may hold anything, also parentheses.
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? null : Number(parent);
  } catch {
    return null;
  }
}

function carries(environ: string, { owner, agent }: Sweep): boolean {
  const prefix = `${MARKER_VARIABLE}=`;
  if (!environ.includes(prefix)) return false;
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
