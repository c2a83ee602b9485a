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
 * Goes on until none is found, because one that is being ended can still start another, and until each has shown what it
 * carries.
 */
export async function sweepAgents(
  sweep: Sweep,
  { withinMs = 5000 }: { readonly withinMs?: number } = {},
): Promise<Swept> {
  if (!existsSync("/proc/self/environ")) return { by: "group", killed: [], left: [] };
  const killed = new Set<number>();
  const bare = new Set<number>();
  const deadline = performance.now() + withinMs;
  for (;;) {
    const { found, newlyBare } = await look(sweep, bare);
    // One that was killed may take its time, and be known by nothing any more.
    const dying = [...killed].filter((pid) => statOf(pid) !== null);
    const left = [...new Set([...found, ...dying])];
    const isOver = left.length === 0 && newlyBare.length === 0;
    if (isOver || performance.now() > deadline) return { by: "marker", killed: [...killed], left };
    for (const pid of found) if (kill(pid)) killed.add(pid);
    for (const pid of newlyBare) bare.add(pid);
    await pause(10);
  }
}

/** Processes with the marker, and their descendants, whatever these have made of their environment. */
export async function findMarked(sweep: Sweep): Promise<readonly number[]> {
  return (await look(sweep, new Set())).found;
}

interface Look {
  readonly found: readonly number[];
  /**
   * Those without an environment that were not known for it: a program that has just taken the place of another shows
   * none for a moment.
   */
  readonly newlyBare: readonly number[];
}

async function look(sweep: Sweep, knownAsBare: ReadonlySet<number>): Promise<Look> {
  const pids = readdirSync("/proc").flatMap((name) => (/^\d+$/u.test(name) ? [Number(name)] : []));
  const withoutEnvironment: number[] = [];
  const marked = new Set(
    await selectInSlices(pids, (pid) => {
      const environ = environmentOf(pid);
      if (environ === "" && !knownAsBare.has(pid)) withoutEnvironment.push(pid);
      return environ !== null && carries(environ, sweep);
    }),
  );
  return {
    found: marked.size === 0 ? [] : await withDescendants(pids, marked),
    newlyBare: withoutEnvironment.filter(isProgram),
  };
}

async function withDescendants(
  pids: readonly number[],
  marked: ReadonlySet<number>,
): Promise<readonly number[]> {
  const parents = new Map<number, number>();
  const living = await selectInSlices(pids, (pid) => {
    const stat = statOf(pid);
    if (stat !== null) parents.set(pid, stat.parent);
    return stat !== null;
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

/** Null when it has ended, or is not ours to look at. */
function environmentOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return null;
  }
}

/** Lives, and is not one of the system's own threads, which have no environment. */
function isProgram(pid: number): boolean {
  const stat = statOf(pid);
  return stat !== null && (stat.flags & SYSTEM_THREAD) === 0;
}

const SYSTEM_THREAD = 0x20_00_00;

/** Null when it has ended. */
function statOf(pid: number): { readonly parent: number; readonly flags: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses may hold anything, also parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, parent] = fields;
    const isOver = state === "Z" || state === "X";
    return isOver ? null : { parent: Number(parent), flags: Number(fields[6]) };
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
