import { spawn } from "node:child_process";
import { untilAnswered, type FirstRequest } from "../floor/contender.ts";
import { childrenOf } from "../process-stat.ts";

export interface PeerProcess {
  readonly url: string;
  readonly pid: number;
  readonly answeredMs: number;
  kill(): Promise<void>;
}

export interface PeerCommand {
  readonly command: readonly [string, ...string[]];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A home of its own and nothing else of this user's environment, in which a peer would find settings and keys. */
export function environmentIn(home: string): Readonly<Record<string, string>> {
  return { HOME: home, PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8" };
}

/** Starts a program without waiting for it. */
export function startProcess({ command: [program, ...args], folder, env }: PeerCommand) {
  const child = spawn(program, args, {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  // Otherwise it would wait when the pipe is full.
  child.stdout.resume();
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    child,
    pid: child.pid ?? 0,
    kill: async (): Promise<void> => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

export async function startServer(
  command: PeerCommand,
  {
    port,
    first,
    readyLine = null,
  }: {
    readonly port: number;
    readonly first: FirstRequest;
    /** What it prints when it is ready, if it never answers requests that come before. */
    readonly readyLine?: string | null;
  },
): Promise<PeerProcess> {
  const url = `http://127.0.0.1:${port}`;
  const start = performance.now();
  const { child, pid, kill } = startProcess(command);
  if (readyLine !== null) await untilPrinted(child, readyLine);
  await untilAnswered(url, { child, first });
  return { url, pid, answeredMs: performance.now() - start, kill };
}

async function untilPrinted(
  child: ReturnType<typeof startProcess>["child"],
  line: string,
): Promise<void> {
  let printed = "";
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes(line)) resolve();
    });
    child.once("exit", (code) => reject(new Error(`a server exited with ${code}`)));
  });
}

/** A process and all its descendants. */
export function familyOf(pid: number): readonly number[] {
  try {
    return [pid, ...childrenOf(pid).flatMap(familyOf)];
  } catch {
    return [];
  }
}

export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}
