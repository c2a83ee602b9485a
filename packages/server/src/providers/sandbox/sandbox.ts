import { execFile } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { findProgram } from "../acp/process/find-program.ts";
import { spawnAgent, type Command } from "../acp/process/spawn-agent.ts";
import { AgentFault } from "../provider.ts";
import { bubblewrapArguments } from "./bubblewrap.ts";
import { planMounts, type Inmate } from "./plan-mounts.ts";

/** `auto`: where it works. `required`: no agent is started without. */
export type SandboxMode = "auto" | "required" | "off";

export interface SandboxState {
  readonly mode: SandboxMode;
  readonly active: boolean;
  /** Why it is not active, in a sentence. */
  readonly reason: string | null;
}

/** Where agents are started so that they see their repository and little else. */
export interface Sandbox {
  readonly state: SandboxState;
  /** What it is made with, such as `bubblewrap 0.8.0`; null when it is not active. */
  readonly madeWith: string | null;
  /** How to start this agent inside; null: without. Throws an `AgentFault` where that may not be. */
  enclose(inmate: Inmate): Command | null;
}

export interface SandboxOptions {
  readonly mode: SandboxMode;
  /** The server's own environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Nobody may see it, wherever it lies. A repository inside is seen nevertheless. */
  readonly dataFolder: string;
  /** Not to be seen where it lies in what is seen, unless it is the repository itself. */
  readonly hidden?: readonly string[];
  readonly platform?: NodeJS.Platform;
}

/** Tries it once, with a program that does nothing. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { mode } = options;
  if (mode === "off")
    return withoutSandbox(mode, "It is turned off: agents run with the rights of the server.");
  const tried = await tryBubblewrap(options);
  if (!tried.ok) return withoutSandbox(mode, tried.reason);
  return {
    state: { mode, active: true, reason: null },
    madeWith: tried.version,
    enclose: (inmate) => enclose(inmate, { ...options, program: tried.program }),
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
        `No agent is started without a sandbox, and there is none. ${reason}`,
      );
    },
  };
}

function enclose(
  inmate: Inmate,
  { program, dataFolder, hidden = [] }: SandboxOptions & { readonly program: string },
): Command {
  const { workspace, command } = inmate;
  if (workspace.path === "/" || workspace.path === dataFolder)
    throw new AgentFault(
      "agent_not_started",
      `${workspace.path} cannot be a repository in a sandbox: nothing could be hidden there.`,
    );
  const environment = insideEnvironment(inmate.environment);
  const mounts = planMounts({ ...inmate, environment }, [dataFolder, ...hidden]);
  return { program, args: bubblewrapArguments({ mounts, workspace, command }), env: environment };
}

/** Without the names of folders that are not there. */
function insideEnvironment(outside: Inmate["environment"]): Record<string, string> {
  return Object.fromEntries(Object.entries(outside).filter(([name]) => !OUTSIDE.has(name)));
}

const OUTSIDE: ReadonlySet<string> = new Set(["TMPDIR", "TMP", "TEMP", "XDG_RUNTIME_DIR"]);

type Tried =
  | { readonly ok: true; readonly program: string; readonly version: string }
  | { readonly ok: false; readonly reason: string };

async function tryBubblewrap(options: SandboxOptions): Promise<Tried> {
  const { environment, platform = process.platform } = options;
  if (platform !== "linux")
    return { ok: false, reason: `There is a sandbox on Linux only, and this is ${platform}.` };
  const program = findProgram("bwrap", environment["PATH"]);
  if (program === null)
    return {
      ok: false,
      reason: "Bubblewrap is not installed: there is no program bwrap (package bubblewrap).",
    };
  try {
    const [{ stdout }, reason] = await Promise.all([
      promisify(execFile)(program, ["--version"], { timeout: TRY_MS }),
      whyNot(program, options),
    ]);
    return reason === null
      ? { ok: true, program, version: stdout.trim() }
      : { ok: false, reason: `Bubblewrap does not work here: ${reason}` };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: `Bubblewrap does not work here: ${said}` };
  }
}

const TRY_MS = 10_000;

/** An agent's start, with a program that only ends. */
async function whyNot(program: string, options: SandboxOptions): Promise<string | null> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-sandbox-")));
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const workspace = { path: folder, descriptor };
    const { PATH = "", HOME = "" } = options.environment;
    const environment = { PATH, HOME };
    const enclosed = enclose(
      { workspace, command: ["/bin/sh", "-c", "exit 0"], environment, mounts: [], toolServers: [] },
      { ...options, program },
    );
    const tried = await spawnAgent({ command: enclosed, isEnclosed: true, workspace });
    const timer = setTimeout(() => tried.signal("SIGKILL"), TRY_MS);
    tried.stdin.end();
    tried.stdout.resume();
    const { code, signal } = await tried.exited;
    clearTimeout(timer);
    if (code === 0) return null;
    return tried.stderr().trim() || `it ended with ${code ?? signal ?? "nothing"}.`;
  } finally {
    closeSync(descriptor);
    rmSync(folder, { recursive: true, force: true });
  }
}
