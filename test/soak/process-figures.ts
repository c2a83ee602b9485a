import { readdirSync, readFileSync, statSync } from "node:fs";
import { needProc } from "../../packages/server/src/domain/testing/machine.ts";

/** Figures of a process from /proc. */
export interface ProcessFigures {
  /** CPU time of all threads since the start. */
  readonly processorMs: number;
  readonly residentBytes: number;
  readonly threads: number;
  readonly handles: number;
  readonly children: number;
  /** Exited children whose exit status was not read. */
  readonly zombies: number;
}

export function readProcess(pid: number): ProcessFigures {
  needProc();
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "mu").exec(status)?.[1]);
  const states = childStates(pid);
  const [, , ...rest] = statOf(String(pid));
  return {
    processorMs: (Number(rest[9]) + Number(rest[10])) * MS_PER_TICK,
    residentBytes: field("VmRSS") * 1024,
    threads: field("Threads"),
    handles: readdirSync(`/proc/${pid}/fd`).length,
    children: states.length,
    zombies: states.filter((state) => state === "Z").length,
  };
}

export interface FileFigures {
  readonly databaseBytes: number;
  readonly walBytes: number;
}

export function readFiles(database: string): FileFigures {
  return { databaseBytes: sizeOf(database), walBytes: sizeOf(`${database}-wal`) };
}

/** The kernel counts CPU time in hundredths of a second. */
const MS_PER_TICK = 10;

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function childStates(pid: number): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((name) => {
      const [state, parent] = stateAndParent(name);
      return parent === pid ? [state] : [];
    });
}

/** The fields after the program's name, which may contain any character. */
function statOf(pid: string): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function stateAndParent(pid: string): readonly [string, number] {
  try {
    const [state = "", parent] = statOf(pid);
    return [state, Number(parent)];
  } catch {
    return ["", 0]; // it has exited
  }
}
