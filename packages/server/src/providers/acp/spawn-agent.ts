import { spawn, type ChildProcessByStdio } from "node:child_process";
import { existsSync, fstatSync, statSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { AgentFault, type Workspace } from "../provider.ts";
import { openTail } from "./tail.ts";

/** The process of an agent, the leader of its own group. Its stdout is for whoever reads it first. */
export interface AgentProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** The last of what it wrote to stderr. */
  stderr(): string;
  /** To it and all that stayed in its group. */
  signal(name: "SIGTERM" | "SIGKILL"): void;
  readonly exited: Promise<ProcessExit>;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface SpawnRequest {
  /** An absolute path, and its arguments. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workspace: Workspace;
  readonly onStderr?: (bytes: Uint8Array) => void;
}

/** Throws an `AgentFault` when the process cannot be started. */
export async function spawnAgent(request: SpawnRequest): Promise<AgentProcess> {
  const { program, args, env, workspace, onStderr = () => {} } = request;
  const folder = openedFolder(workspace);
  const child = spawnNow(program, args, { cwd: folder, env });
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once("exit", (code, signal) => {
      const tell = (): void => resolve({ code, signal });
      // Its last words are often the reason; a child of it may keep stderr open for ever.
      child.once("close", tell);
      setTimeout(tell, LAST_WORDS_MS);
    });
  });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => reject(startFault(error, { program, folder, workspace })));
  });
  child.on("error", () => {});
  const { pid } = child;
  if (pid === undefined) throw new Error("unreachable: a spawned process has a pid");
  const tail = openTail(STDERR_BYTES);
  child.stderr.on("data", (bytes: Buffer) => {
    tail.push(bytes);
    onStderr(bytes);
  });
  child.stderr.on("error", () => {});
  return {
    pid,
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: () => tail.text(),
    signal: (name) => signalGroup(pid, name),
    exited,
  };
}

/** How much of stderr is kept. */
const STDERR_BYTES = 64 * 1024;
const LAST_WORDS_MS = 100;

/** A group whose last process is gone cannot be told anything, which is what is wanted of it. */
function signalGroup(pid: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(-pid, name);
  } catch {
    // Nobody is left, or what is left is no longer ours.
  }
}

function spawnNow(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): ChildProcessByStdio<Writable, Readable, Readable> {
  try {
    return spawn(program, args, { ...options, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  } catch (error) {
    throw new AgentFault("agent_not_started", `${program} cannot be started: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** By descriptor where the system can, so that a folder put in its place afterwards is not entered. */
function openedFolder({ path, descriptor }: Workspace): string {
  if (descriptor === null) return path;
  if (!isSameFolder(path, descriptor)) {
    throw new AgentFault("agent_not_started", `${path} is no longer the folder that was opened`);
  }
  return process.platform === "linux" ? `/proc/self/fd/${descriptor}` : path;
}

function isSameFolder(path: string, descriptor: number): boolean {
  try {
    const [named, opened] = [statSync(path), fstatSync(descriptor)];
    return named.dev === opened.dev && named.ino === opened.ino;
  } catch {
    return false;
  }
}

export function startFault(
  error: Error & { readonly code?: string },
  where: { readonly program: string; readonly folder: string; readonly workspace: Workspace },
): AgentFault {
  const { program, folder, workspace } = where;
  const options = { cause: error };
  if (error.code === "ENOENT" || error.code === "ENOTDIR") {
    if (!existsSync(folder)) {
      return new AgentFault("agent_not_started", `${workspace.path} is not there`, options);
    }
    if (existsSync(program)) {
      const message = `${program} cannot be started: what it is written for is not there`;
      return new AgentFault("agent_not_started", message, options);
    }
    return new AgentFault("agent_not_installed", `${program} is not installed`, options);
  }
  return new AgentFault("agent_not_started", `${program} cannot be started: ${error.message}`, {
    ...options,
    isPassing: error.code !== undefined && PASSING.has(error.code),
  });
}

/** The machine has too little of something just now. */
const PASSING: ReadonlySet<string> = new Set(["EAGAIN", "ENOMEM", "EMFILE", "ENFILE", "ETXTBSY"]);

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
