import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { EngineTask } from "./engine-process.ts";

/** `all`: the process and everything that it started. `node`: only the process itself. */
export type Victims = "all" | "node";

export interface Cut {
  readonly victims: Victims;
  /** When it is killed. */
  readonly afterMs: number;
  /** Only counts from when this is so. */
  readonly since?: () => boolean;
}

/**
 * Runs the engine in a process of its own, and kills it after a time; null: never. Resolves with the time until it ended, and
 * whether it had done its work.
 */
export async function runEngine(
  task: EngineTask,
  env: Readonly<Record<string, string>>,
  cut: Cut | null,
): Promise<{ readonly tookMs: number; readonly isDone: boolean }> {
  const program = path.join(import.meta.dirname, "engine-process.ts");
  const child = spawn(process.execPath, [program, JSON.stringify(task)], {
    env: { ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (bytes: Buffer) => (said += bytes.toString("latin1")));
  const closed = once(child, "close");
  await Promise.race([once(child.stdout, "data"), closed]);
  const startedMs = performance.now();
  if (cut !== null) {
    let hasEnded = false;
    const ended = closed.then(() => (hasEnded = true));
    while (!hasEnded && cut.since?.() === false) await nextTurn();
    await Promise.race([pause(cut.afterMs), ended]);
    if (cut.victims === "all") killTree(child.pid ?? 0);
    else child.kill("SIGKILL");
  }
  await closed;
  return { tookMs: performance.now() - startedMs, isDone: said.includes("done") };
}

/** Stops them first, so that none of them starts another one meanwhile. */
function killTree(root: number): void {
  const stopped = new Set<number>();
  for (let found = [root]; found.length > 0; found = childrenOf(stopped)) {
    for (const pid of found) {
      signal(pid, "SIGSTOP");
      stopped.add(pid);
    }
  }
  for (const pid of stopped) signal(pid, "SIGKILL");
}

function childrenOf(known: ReadonlySet<number>): number[] {
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || known.has(pid)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return known.has(Number(parent)) ? [pid] : [];
    } catch {
      // It has ended.
      return [];
    }
  });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
