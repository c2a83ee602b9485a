import { spawn, type ChildProcess } from "node:child_process";
import path from "node:path";
import type { ProcessResult } from "./holdfast-process.ts";

const HOST = path.join(import.meta.dirname, "command-host.mjs");
const ENDED_WITHIN_MS = 250_000;

export interface Command {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly input: string;
  /** Working directory of the command. */
  readonly folder: string;
}

let host: Promise<ChildProcess> | null = null;
let commands = 0;

/** Runs a command in the process that this test file shares for such commands. */
export async function runInHost(command: Command): Promise<ProcessResult> {
  const child = await (host ??= startHost());
  commands += 1;
  const id = commands;
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      child.off("message", onMessage);
      child.off("exit", onExit);
      settle();
    };
    const onMessage = ({
      id: repliedId,
      ...result
    }: ProcessResult & { readonly id: number }): void => {
      if (repliedId === id) end(() => resolve(result));
    };
    const onExit = (code: number | null): void => {
      host = null;
      end(() => reject(new Error(`the command host exited with ${code}`)));
    };
    const timer = setTimeout(() => child.kill("SIGKILL"), ENDED_WITHIN_MS);
    child.on("message", onMessage);
    child.once("exit", onExit);
    child.send({ id, ...command });
  });
}

async function startHost(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [HOST], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  await new Promise<void>((resolve, reject) => {
    child.once("message", () => resolve());
    child.once("exit", (code) => reject(new Error(`the command host exited with ${code}`)));
  });
  child.setMaxListeners(0);
  // The host exits together with this process.
  child.unref();
  child.channel?.unref();
  return child;
}
