import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, fstatSync, statSync } from "node:fs";
import { Readable, type Writable } from "node:stream";
import { AgentFault, type Workspace } from "../../provider.ts";
import { OUTPUT_DESCRIPTOR, STATUS_DESCRIPTOR } from "../../sandbox/bubblewrap.ts";
import { watchInside, type Inside } from "../../sandbox/inside.ts";
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
  /** At once, while `exited` still waits for its last words. */
  readonly isGone: boolean;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface SpawnRequest {
  readonly command: Command;
  /** Whether the command starts the agent in a sandbox. */
  readonly isEnclosed: boolean;
  readonly workspace: Workspace;
  readonly onStderr?: (bytes: Uint8Array) => void;
}

export interface Command {
  /** An absolute path, and its arguments. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Throws an `AgentFault` when the process cannot be started. */
export async function spawnAgent(request: SpawnRequest): Promise<AgentProcess> {
  const { command, isEnclosed, workspace, onStderr = () => {} } = request;
  const { program } = command;
  const folder = openedFolder(workspace);
  const child = spawnNow(command, {
    cwd: isEnclosed ? "/" : folder,
    stdio: isEnclosed ? enclosedPipes(workspace) : PIPES,
  });
  const inside = isEnclosed ? watchInside(child.stdio[STATUS_DESCRIPTOR]) : null;
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once("exit", (code, signal) => {
      const tell = (): void => void insideGone(inside).then(() => resolve({ code, signal }));
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
  const { pid, stdin, stderr } = child;
  const stdout = isEnclosed ? child.stdio[OUTPUT_DESCRIPTOR] : child.stdout;
  if (pid === undefined || stdin === null || stderr === null || !(stdout instanceof Readable))
    throw new Error("unreachable: a spawned process has a pid and pipes");
  const tail = openTail(STDERR_BYTES);
  stderr.on("data", (bytes: Buffer) => {
    tail.push(bytes);
    onStderr(bytes);
  });
  stderr.on("error", () => {});
  return {
    pid,
    stdin,
    stdout,
    stderr: () => tail.text(),
    signal: (name) => signalAll(name, { pid, inside }),
    exited,
    get isGone() {
      return child.exitCode !== null || child.signalCode !== null;
    },
  };
}

/** How much of stderr is kept. */
const STDERR_BYTES = 64 * 1024;
const LAST_WORDS_MS = 100;

type Pipes = readonly ("pipe" | "ignore" | number)[];
const PIPES: Pipes = ["pipe", "pipe", "pipe"];

/**
 * Besides: where it says which process is the agent's, what is the agent's stdout, and the folder, which a path might
 * no longer lead to.
 */
function enclosedPipes({ descriptor }: Workspace): Pipes {
  const folder = descriptor === null ? [] : [descriptor];
  return ["pipe", "ignore", "pipe", "pipe", "pipe", ...folder];
}

/**
 * Ending what holds the agent ends the agent at once: asked to end, it alone is asked. Killed, its holder goes first:
 * left to see the agent die, it would end by itself with a code, as if nobody had killed it.
 */
function signalAll(
  name: "SIGTERM" | "SIGKILL",
  { pid, inside }: { readonly pid: number; readonly inside: Inside | null },
): void {
  const group = inside?.pid() ?? null;
  if (group === null || name === "SIGKILL") signalGroup(pid, name);
  if (group !== null) signalGroup(group, name);
}

/** A group whose last process is gone cannot be told anything, which is what is wanted of it. */
function signalGroup(pid: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(-pid, name);
  } catch {
    // Nobody is left, or what is left is no longer ours.
  }
}

async function insideGone(inside: Inside | null): Promise<void> {
  await inside?.gone();
}

function spawnNow(
  { program, args, env }: Command,
  { cwd, stdio }: { readonly cwd: string; readonly stdio: Pipes },
): ChildProcess {
  try {
    return spawn(program, args, { cwd, env, detached: true, stdio: [...stdio] });
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
