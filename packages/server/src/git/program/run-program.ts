import { spawn, type ChildProcess } from "node:child_process";
import type { Environment } from "../git-variables.ts";

/** A program that works in a folder that agents write. */
export interface Program {
  readonly command: readonly [program: string, ...args: string[]];
  readonly cwd: string;
  /** All of its variables. */
  readonly env: Environment;
  /** The folders that it may write. */
  readonly writes: readonly string[];
  /** Further folders that it may read. */
  readonly reads?: readonly string[];
  /** Whether it runs programs that agents may have written, such as hooks. */
  readonly runsCodeOfRepository?: boolean;
}

/** How a program starts in a sandbox, or as it is where there is none. */
export type Enclose = (program: Program) => Program;

export interface RunOptions {
  readonly input?: string | Uint8Array;
  /** The program is ended when it writes more (default 64 MiB). What it wrote until then is returned. */
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Gets the output as it comes, of both streams. */
  readonly onOutput?: (bytes: Buffer) => void;
  /** Keeps its input open while it runs, so that it can notice when this process is killed. */
  readonly holdsInput?: boolean;
}

export interface Output {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly stdout: Buffer;
  /** The end of it. */
  readonly stderr: string;
  /** Why it was ended; null if it ended by itself. */
  readonly ended: "too_long" | "timeout" | "aborted" | null;
}

const MAX_BYTES = 64 * 1024 * 1024;
const STDERR_BYTES = 8 * 1024;
const TIMEOUT_MS = 5 * 60_000;

/** Resolves when the program has ended. Throws if it cannot be started. */
export async function runProgram(program: Program, options: RunOptions = {}): Promise<Output> {
  const { input = "", maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS, signal, onOutput } = options;
  const { holdsInput = false } = options;
  const [file, ...args] = program.command;
  const child = spawn(file, args, {
    cwd: program.cwd,
    env: { ...program.env },
    stdio: ["pipe", "pipe", "pipe"],
    // Its children end with it.
    detached: true,
  });
  running.add(child);
  let ended: Output["ended"] = null;
  const end = (reason: Exclude<Output["ended"], null>): void => {
    ended ??= reason;
    if (child.pid !== undefined) killGroup(child.pid);
  };
  const stdout: Buffer[] = [];
  let size = 0;
  let stderr = Buffer.alloc(0);
  child.stdout.on("data", (bytes: Buffer) => {
    onOutput?.(bytes);
    if (size < maxBytes) stdout.push(bytes.subarray(0, maxBytes - size));
    size += bytes.length;
    if (size > maxBytes) end("too_long");
  });
  child.stderr.on("data", (bytes: Buffer) => {
    onOutput?.(bytes);
    stderr = Buffer.concat([stderr, bytes]).subarray(-STDERR_BYTES);
  });
  const timer = setTimeout(() => end("timeout"), timeoutMs);
  const abort = (): void => end("aborted");
  signal?.addEventListener("abort", abort);
  if (signal?.aborted === true) abort();
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
      // The program may end before it has read everything.
      child.stdin.on("error", () => {});
      if (holdsInput) child.once("exit", () => child.stdin.destroy());
      else child.stdin.end(input);
    });
    return { code, stdout: Buffer.concat(stdout), stderr: stderr.toString("utf8"), ended };
  } finally {
    running.delete(child);
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** Programs do not outlive a process that exits. */
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const { pid } of running) if (pid !== undefined) killGroup(pid);
});

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has exited.
  }
}
