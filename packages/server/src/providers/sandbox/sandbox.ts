import { execFile } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { errorText } from "../../domain/error-text.ts";
import { findProgram } from "../acp/process/find-program.ts";
import { spawnAgent, type Command } from "../acp/process/spawn-agent.ts";
import { AgentFault } from "../provider.ts";
import { bubblewrapArguments } from "./bubblewrap.ts";
import { planMounts, type SandboxedAgent } from "./plan-mounts.ts";

/** `auto`: use a sandbox if it works. `required`: start no agent without one. */
export type SandboxMode = "auto" | "required" | "off";

export interface SandboxState {
  readonly mode: SandboxMode;
  readonly active: boolean;
  /** A sentence that says why it is not active. */
  readonly reason: string | null;
}

/** Starts agents so that they see their repository and little else. */
export interface Sandbox {
  readonly state: SandboxState;
  /** The program that provides it, such as `bubblewrap 0.8.0`; null if it is not active. */
  readonly madeWith: string | null;
  /** The command that starts the agent in the sandbox; null if it runs without. Throws an `AgentFault` if it must not. */
  enclose(agent: SandboxedAgent): Command | null;
}

export interface SandboxOptions {
  readonly mode: SandboxMode;
  /** The server's own environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Always hidden, except for a repository inside it. */
  readonly dataFolder: string;
  /** Hidden inside mounted folders, except for the repository itself. */
  readonly hidden?: readonly string[];
  readonly platform?: NodeJS.Platform;
}

/** Tests the sandbox once, with a program that exits at once. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { mode } = options;
  if (mode === "off")
    return withoutSandbox(mode, "It is turned off: agents run with the rights of the server.");
  const test = await testBubblewrap(options);
  if (!test.ok) return withoutSandbox(mode, test.reason);
  return {
    state: { mode, active: true, reason: null },
    madeWith: test.version,
    enclose: (agent) => enclose(agent, options, test.program),
  };
}

function withoutSandbox(mode: SandboxMode, reason: string): Sandbox {
  return {
    state: { mode, active: false, reason },
    madeWith: null,
    enclose: () => {
      if (mode !== "required") return null;
      throw new AgentFault(
        "agent_not_started",
        `Agents may run only in a sandbox, and no sandbox is available. ${reason}`,
      );
    },
  };
}

function enclose(
  agent: SandboxedAgent,
  { dataFolder, hidden = [] }: SandboxOptions,
  program: string,
): Command {
  const { workspace, command } = agent;
  if (workspace.path === "/" || workspace.path === dataFolder)
    throw new AgentFault(
      "agent_not_started",
      `${workspace.path} cannot be a repository in a sandbox: nothing could be hidden there.`,
    );
  const env = Object.fromEntries(
    Object.entries(agent.environment).filter(([name]) => !OUTSIDE_ONLY.has(name)),
  );
  const mounts = planMounts({ ...agent, environment: env }, [dataFolder, ...hidden]);
  return { program, args: bubblewrapArguments(mounts, workspace, command), env };
}

/** Variables that name folders which do not exist inside. */
const OUTSIDE_ONLY: ReadonlySet<string> = new Set(["TMPDIR", "TMP", "TEMP", "XDG_RUNTIME_DIR"]);

type TestResult =
  | { readonly ok: true; readonly program: string; readonly version: string }
  | { readonly ok: false; readonly reason: string };

async function testBubblewrap(options: SandboxOptions): Promise<TestResult> {
  const { environment, platform = process.platform } = options;
  if (platform !== "linux")
    return { ok: false, reason: `A sandbox needs Linux; this system is ${platform}.` };
  const program = findProgram("bwrap", environment["PATH"]);
  if (program === null)
    return {
      ok: false,
      reason: "Bubblewrap is not installed: the program bwrap was not found (package bubblewrap).",
    };
  try {
    const [{ stdout }, problem] = await Promise.all([
      promisify(execFile)(program, ["--version"], { timeout: TEST_MS }),
      findProblem(options, program),
    ]);
    return problem === null
      ? { ok: true, program, version: stdout.trim() }
      : { ok: false, reason: `Bubblewrap does not work here: ${problem}` };
  } catch (error) {
    return { ok: false, reason: `Bubblewrap does not work here: ${errorText(error)}` };
  }
}

const TEST_MS = 10_000;

/** Starts a program that exits at once as an agent is started. Null if that works. */
async function findProblem(options: SandboxOptions, program: string): Promise<string | null> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-sandbox-")));
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const workspace = { path: folder, descriptor };
    const { PATH = "", HOME = "" } = options.environment;
    const agent: SandboxedAgent = {
      workspace,
      command: ["/bin/sh", "-c", "exit 0"],
      environment: { PATH, HOME },
      mounts: [],
      toolServers: [],
    };
    const child = await spawnAgent({
      command: enclose(agent, options, program),
      isEnclosed: true,
      workspace,
    });
    const timer = setTimeout(() => child.signal("SIGKILL"), TEST_MS);
    child.stdin.end();
    child.stdout.resume();
    const { code, signal } = await child.exited;
    clearTimeout(timer);
    if (code === 0) return null;
    return (
      child.stderr().text.trim() || `the test program exited with ${code ?? signal ?? "nothing"}.`
    );
  } finally {
    closeSync(descriptor);
    rmSync(folder, { recursive: true, force: true });
  }
}
