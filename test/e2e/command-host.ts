import { spawn, type ChildProcess } from "node:child_process";
import path from "node:path";
import type { Ended } from "./holdfast-process.ts";

const HOST = path.join(import.meta.dirname, "command-host.mjs");
const ENDED_WITHIN_MS = 60_000;

export interface Command {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly input: string;
  /** The folder it is run in. */
  readonly folder: string;
}

let host: Promise<ChildProcess> | null = null;
let commands = 0;

/** Runs a command in the process that runs all such commands of this test file. */
export async function runInHost(command: Command): Promise<Ended> {
  const child = await (host ??= startHost());
  commands += 1;
  const id = commands;
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(late);
      child.off("message", onMessage);
      child.off("exit", onExit);
      settle();
    };
    const onMessage = ({ id: answered, ...ended }: Ended & { readonly id: number }): void => {
      if (answered === id) end(() => resolve(ended));
    };
    const onExit = (code: number | null): void => {
      host = null;
      end(() => reject(new Error(`the commands' process ended with ${code}`)));
    };
    const late = setTimeout(() => child.kill("SIGKILL"), ENDED_WITHIN_MS);
    child.on("message", onMessage);
    child.once("exit", onExit);
    child.send({ id, ...command });
  });
}

async function startHost(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [HOST], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  await new Promise<void>((resolve, reject) => {
    child.once("message", () => resolve());
    child.once("exit", (code) => reject(new Error(`the commands' process ended with ${code}`)));
  });
  child.setMaxListeners(0);
  // It ends when this process does.
  child.unref();
  child.channel?.unref();
  return child;
}
