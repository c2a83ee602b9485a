import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, fstatSync, statSync } from "node:fs";
import { Readable, type Writable } from "node:stream";
import { errorText } from "../../../domain/error-text.ts";
import { AgentFault, type AgentExit, type Workspace } from "../../provider.ts";
import {
  openFolders,
  OUTPUT_DESCRIPTOR,
  STATUS_DESCRIPTOR,
  watchLeader,
} from "../../sandbox/bubblewrap.ts";
import { openShare } from "../wire/share.ts";
import { openTail, type Tail } from "./tail.ts";
import { withUsersUmask } from "./umask.ts";

/** The process of an agent, which leads its own process group. */
export interface AgentProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** The end of its stderr. */
  stderr(): ReturnType<Tail["read"]>;
  /** Signals its process group. */
  signal(name: "SIGTERM" | "SIGKILL"): void;
  readonly exited: Promise<ProcessExit>;
  /** True at once, while `exited` still waits for the end of stderr. */
  readonly isGone: boolean;
}

export type ProcessExit = Pick<AgentExit, "code" | "signal">;

export interface SpawnRequest {
  readonly command: Command;
  /** Whether the command starts the agent in a sandbox. */
  readonly isEnclosed: boolean;
  readonly workspace: Workspace;
  /** Further folders that a sandbox mounts. */
  readonly directories?: readonly Workspace[];
  readonly onStderr?: (bytes: Uint8Array) => void;
}

export interface Command {
  /** An absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Throws an `AgentFault` if the process cannot be started. */
export async function spawnAgent(request: SpawnRequest): Promise<AgentProcess> {
  const { command, isEnclosed, workspace, directories = [], onStderr = () => {} } = request;
  const { program } = command;
  const folder = folderToEnter(workspace);
  const child = isEnclosed
    ? spawnDetached(command, "/", enclosedPipes([workspace, ...directories]))
    : spawnDetached(command, folder, ["pipe", "pipe", "pipe"]);
  const leader = isEnclosed ? watchLeader(child.stdio[STATUS_DESCRIPTOR]) : null;
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once("exit", (code, signal) => {
      const finish = async (): Promise<void> => {
        await leader?.exited();
        resolve({ code, signal });
      };
      // The end of stderr often contains the reason. A child may keep stderr open, so there is a timeout.
      child.once("close", () => void finish());
      setTimeout(() => void finish(), STDERR_END_MS);
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
  const stderrShare = openShare();
  stderr.on("data", (bytes: Buffer) => {
    tail.push(bytes);
    onStderr(bytes);
    if (bytes.length < MUCH_STDERR) return;
    stderr.pause();
    stderrShare.takeSlice(() => stderr.resume(), bytes.length / STDERR_PER_MS);
  });
  stderr.on("error", () => {});
  return {
    pid,
    stdin,
    stdout,
    stderr: () => tail.read(),
    signal: (name) => {
      const group = leader?.pid() ?? null;
      // SIGTERM goes only to the agent: it would end bubblewrap, and that kills the agent at once. SIGKILL goes to
      // bubblewrap first: if it saw the agent die, it would exit with a code, as if nobody had killed it.
      if (group === null || name === "SIGKILL") signalGroup(pid, name);
      if (group !== null) signalGroup(group, name);
    },
    exited,
    get isGone() {
      return child.exitCode !== null || child.signalCode !== null;
    },
  };
}

const STDERR_BYTES = 64 * 1024;
const STDERR_END_MS = 100;
/** After this many bytes at once, others come first. */
const MUCH_STDERR = 16 * 1024;
/** The price of stderr in the agent's share. A flood is read at about 2 MB/s. */
const STDERR_PER_MS = 8 * 1024;

type Pipes = ("pipe" | "ignore" | number)[];

/** Besides stdin and stderr: bubblewrap's status, the agent's stdout, and the open folders. */
function enclosedPipes(folders: readonly Workspace[]): Pipes {
  const descriptors = openFolders(folders).map(({ descriptor }) => descriptor);
  return ["pipe", "ignore", "pipe", "pipe", "pipe", ...descriptors];
}

function signalGroup(pid: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(-pid, name);
  } catch {
    // The group has no process left, or none that may be signalled.
  }
}

function spawnDetached({ program, args, env }: Command, cwd: string, stdio: Pipes): ChildProcess {
  try {
    return withUsersUmask(() => spawn(program, args, { cwd, env, detached: true, stdio }));
  } catch (error) {
    throw new AgentFault("agent_not_started", `${program} cannot be started: ${errorText(error)}`, {
      cause: error,
    });
  }
}

/** Uses the descriptor where the system supports it, so that a folder that replaced the workspace is not entered. */
function folderToEnter({ path, descriptor }: Workspace): string {
  if (descriptor === null) return path;
  if (!isSameFolder(path, descriptor)) {
    throw new AgentFault("agent_not_started", `${path} is no longer the folder that was opened`);
  }
  return process.platform === "linux" ? `/proc/self/fd/${descriptor}` : path;
}

function isSameFolder(path: string, descriptor: number): boolean {
  try {
    const [current, opened] = [statSync(path), fstatSync(descriptor)];
    return current.dev === opened.dev && current.ino === opened.ino;
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
      return new AgentFault("agent_not_started", `${workspace.path} does not exist`, options);
    }
    if (existsSync(program)) {
      const message = `${program} cannot be started: its interpreter does not exist`;
      return new AgentFault("agent_not_started", message, options);
    }
    return new AgentFault("agent_not_installed", `${program} is not installed`, options);
  }
  return new AgentFault("agent_not_started", `${program} cannot be started: ${error.message}`, {
    ...options,
    isPassing: error.code !== undefined && PASSING.has(error.code),
  });
}

/** The machine lacks a resource at the moment. */
const PASSING: ReadonlySet<string> = new Set(["EAGAIN", "ENOMEM", "EMFILE", "ENFILE", "ETXTBSY"]);
