import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isLongRun } from "../../packages/server/src/domain/testing/repeat.ts";
import { bearer } from "../../packages/server/src/http/testing/server-token.ts";
import { runInHost, type Command } from "./command-host.ts";

export const BINARY = path.resolve(import.meta.dirname, "../../packages/server/bin/holdfast.js");

export interface ProcessResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Also the options of a client: `createClient(server)`. */
export interface RunningServer {
  readonly url: string;
  /** The server's own token. */
  readonly token: string;
  /** The headers of a request with this token. */
  readonly headers: { readonly authorization: string };
  readonly pid: number;
  readonly greeting: string;
  readonly data: string;
  /** Sends the signal and waits for the process to exit. */
  end(signal: NodeJS.Signals): Promise<ProcessResult>;
}

export function temporaryFolder(): string {
  return mkdtempSync(path.join(tmpdir(), "holdfast-e2e-"));
}

export interface PreparedFolder {
  readonly folder: string;
  /** For `--data`; contains the config file. */
  readonly data: string;
  /** For `AGENT_WORKSPACE_ROOT`, itself a repository. */
  readonly root: string;
}

/** Creates a data folder with a config file, and a repository. The sandbox is off, so that agents can write elsewhere. */
export function prepareFolder(config: object): PreparedFolder {
  const folder = temporaryFolder();
  const data = path.join(folder, "data");
  const root = path.join(folder, "root");
  mkdirSync(data, { mode: 0o700 });
  mkdirSync(path.join(root, ".git"), { recursive: true });
  writeFileSync(
    path.join(data, "holdfast.config.json"),
    JSON.stringify({ sandbox: "off", ...config }),
  );
  return { folder, data, root };
}

export function removeFolder(folder: string): void {
  // The agent host of a killed server writes there until it has noticed that the folder is gone.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

/** Commands that exit their process, or whose process the test examines. */
const NEEDS_PROCESS: ReadonlySet<string | undefined> = new Set(["serve", "hook"]);

/**
 * Runs one command of the built program. In long runs each command has its own process. In everyday runs most share
 * one, because starting a process takes longer than the command.
 */
export async function holdfast(
  args: readonly string[],
  env: Record<string, string> = {},
  input = "",
  folder = process.cwd(),
): Promise<ProcessResult> {
  const command = { args, env: cleanEnvironment(env), input, folder };
  const isAlone = isLongRun || NEEDS_PROCESS.has(args[0]) || "NODE_OPTIONS" in env;
  return isAlone ? runAlone(command) : runInHost(command);
}

async function runAlone({ args, env, input, folder: cwd }: Command): Promise<ProcessResult> {
  const child = spawn(process.execPath, [BINARY, ...args], { env, cwd, timeout: 250_000 });
  const output = collect(child);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("close", resolve);
    child.once("error", reject);
  });
  // A command that does not read its input closes it.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return { code: await ended, ...withoutSlowness(output) };
}

/** A server on a busy machine says which steps of its start took long. */
function withoutSlowness<Output extends { readonly stderr: string }>(output: Output): Output {
  return { ...output, stderr: output.stderr.replace(/^holdfast: starting: .*\n/gmu, "") };
}

/** Starts a real server process and waits until it is ready. Throws with its output if it exits. */
export async function startHoldfast({
  data,
  args = [],
  env = {},
  umask = null,
}: {
  data: string;
  args?: readonly string[];
  env?: Record<string, string>;
  /** In octal digits, such as "002". */
  umask?: string | null;
}): Promise<RunningServer> {
  const serve = [process.execPath, BINARY, "serve", "--data", data, "--port", "0", ...args];
  const shell = umask === null ? [] : ["/bin/sh", "-c", `umask ${umask}; exec "$0" "$@"`];
  const [program = "", ...rest] = [...shell, ...serve];
  const child = spawn(program, rest, {
    env: cleanEnvironment(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = collect(child);
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", () => {
      if (output.stdout.includes("Stop ")) resolve();
    });
    child.once("exit", (code) =>
      reject(new Error(`the server exited with ${code}: ${output.stderr}`)),
    );
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const { url, pid } = readServerFile(data);
  const token = env["HOLDFAST_TOKEN"] ?? readToken(data);
  return {
    url,
    token,
    headers: bearer(token),
    pid,
    greeting: output.stdout,
    data,
    end: async (signal) => {
      child.kill(signal);
      return { code: await ended, ...withoutSlowness(output) };
    },
  };
}

export function readServerFile(data: string): {
  url: string;
  pid: number;
  startedAt: string;
  version: string;
  node: string;
  database: string;
} {
  return JSON.parse(readFileSync(path.join(data, "server.json"), "utf8"));
}

/** Empty for a server without authentication. */
export function readToken(data: string): string {
  const file = path.join(data, "token");
  return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  return output;
}

/** Settings in the environment of the tests must not reach the program under test. */
function cleanEnvironment(env: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(HOLDFAST_|AGENT_|NODE_OPTIONS)/u.test(name),
  );
  return { ...Object.fromEntries(inherited), ...env };
}
