import { execFile } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { errorText } from "../../domain/error-text.ts";
import type { Enclose } from "../../git/program/run-program.ts";
import { findProgram } from "../acp/process/find-program.ts";
import { spawnAgent } from "../acp/process/spawn-agent.ts";
import type { Containment, ContainmentKind } from "../containment/containment.ts";
import { openContainment } from "../containment/open-containment.ts";
import { openAgentNetwork, localIn, type AgentNetwork } from "../network/agent-network.ts";
import { limitsHosts, rulesOf } from "../network/network-policy.ts";
import { findUserNetwork, type UserNetworkParts } from "../network/user-network.ts";
import { AgentFault, type Workspace } from "../provider.ts";
import { apisOf, insideOf } from "./api-of-tools.ts";
import { bubblewrapArguments, environmentInside } from "./bubblewrap.ts";
import { createEncloseProgram } from "./enclose-program.ts";
import type { Enclosure } from "./enclosure.ts";
import { planMounts, type SandboxedAgent } from "./plan-mounts.ts";
import { encloseInSeatbelt, findSeatbelt } from "./seatbelt-sandbox.ts";

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
  /** Null if it is not active. */
  readonly network: SandboxNetwork | null;
  /**
   * How processes of agents are kept together without a sandbox; null if it is active or required. It is tested when it is first
   * asked for, or when the first agent starts.
   */
  containment(): Promise<ContainmentKind | null>;
  /** How the agent starts. Throws an `AgentFault` if it must not. */
  enclose(agent: SandboxedAgent): Promise<Enclosure>;
  /**
   * How a short program, such as a command of Git, starts: without a network, and with few folders. As it is if no sandbox is
   * active. Throws an `AgentFault` if it runs code of the repository and needs a sandbox that is not there.
   */
  readonly encloseProgram: Enclose;
}

/**
 * The best network that agents can have. `full`: they reach other hosts. `proxy`: only programs that use a proxy do.
 * `shared`: they also reach this machine.
 */
export type SandboxNetwork =
  | { readonly kind: "full"; readonly parts: UserNetworkParts }
  | { readonly kind: "proxy" | "shared"; readonly why: string };

export interface SandboxOptions {
  readonly mode: SandboxMode;
  /** The server's own environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Always hidden, except for a repository inside it. */
  readonly dataFolder: string;
  /** Hidden inside mounted folders, except for the repository itself. */
  readonly hidden?: readonly string[];
  readonly platform?: NodeJS.Platform;
  /** How agents are kept together without a sandbox, in order of preference. */
  readonly containments?: readonly ContainmentKind[];
  /** Opens the networks of agents (default: in this process, with which they end). */
  readonly openNetwork?: typeof openAgentNetwork;
  /** Finds what a full network needs (default: the installed programs). */
  readonly findUserNetwork?: typeof findUserNetwork;
}

/** Tests the sandbox once, with a program that exits at once. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { mode } = options;
  if (mode === "off")
    return withoutSandbox(options, "It is turned off: agents run with the rights of the server.");
  if ((options.platform ?? process.platform) === "darwin") return openSeatbelt(options);
  const test = await testBubblewrap(options);
  if (!test.ok) return withoutSandbox(options, test.reason);
  const { program, network } = test;
  return {
    state: { mode, active: true, reason: null },
    madeWith: test.version,
    network,
    containment: async () => null,
    enclose: (agent) => enclose(agent, options, { program, network }),
    encloseProgram: createEncloseProgram({
      bubblewrap: program,
      hasOwnNetwork: network.kind !== "shared",
      hidden: [options.dataFolder, ...(options.hidden ?? [])],
    }),
  };
}

/** The profile has not been run on macOS yet, so it is used only on request. */
async function openSeatbelt(options: SandboxOptions): Promise<Sandbox> {
  const { mode, environment, dataFolder, hidden = [] } = options;
  if (mode === "auto")
    return withoutSandbox(
      options,
      'On macOS the sandbox is experimental and must be turned on with "sandbox": "required".',
    );
  const program = findSeatbelt(environment["PATH"]);
  if (program === null)
    return withoutSandbox(options, "The program sandbox-exec of macOS was not found.");
  return {
    state: { mode, active: true, reason: null },
    madeWith: "sandbox-exec",
    network: { kind: "proxy", why: "The sandbox of macOS is experimental." },
    containment: async () => null,
    enclose: async (agent) => {
      for (const folder of [agent.workspace, ...(agent.directories ?? [])])
        refuseFolder(folder, dataFolder);
      return encloseInSeatbelt(agent, [dataFolder, ...hidden], program);
    },
    encloseProgram: (each) => each,
  };
}

function withoutSandbox(
  { mode, environment, containments = WITHOUT_SANDBOX[mode] }: SandboxOptions,
  reason: string,
): Sandbox {
  let opening: Promise<Containment | null> | null = null;
  const open = (): Promise<Containment | null> =>
    (opening ??=
      mode === "required"
        ? Promise.resolve(null)
        : openContainment({ kinds: containments, environment }));
  return {
    state: { mode, active: false, reason },
    madeWith: null,
    network: null,
    containment: async () => (await open())?.kind ?? null,
    enclose: async ({ network, command, environment: env, toolServers }) => {
      const containment = await open();
      if (containment === null)
        throw new AgentFault(
          "agent_not_started",
          `Agents may run only in a sandbox, and no sandbox is available. ${reason}`,
        );
      if (limitsHosts(network)) throw networkFault(`There is no sandbox. ${reason}`);
      const [program = "", ...args] = command;
      try {
        const contained = containment.contain({ program, args, env });
        return { ...contained, isBubblewrap: false, toolServers, close: () => {} };
      } catch (error) {
        throw new AgentFault("agent_not_started", errorText(error), { cause: error });
      }
    },
    encloseProgram: (program) => {
      if (mode === "required" && program.runsCodeOfRepository === true)
        throw new AgentFault(
          "agent_not_started",
          `Programs of a repository may run only in a sandbox, and no sandbox is available. ${reason}`,
        );
      return program;
    },
  };
}

/** A namespace changes what an agent can do, such as `sudo`, so there is none if the sandbox is turned off. */
const WITHOUT_SANDBOX: Readonly<Record<SandboxMode, readonly ContainmentKind[]>> = {
  auto: ["pid-namespace", "control-group", "marker"],
  required: [],
  off: ["control-group", "marker"],
};

/** A limit that the user has set must not be dropped in silence. */
function networkFault(reason: string): AgentFault {
  return new AgentFault(
    "agent_not_started",
    `The network of this agent is limited, and this cannot be enforced. ${reason}`,
  );
}

interface Bubblewrap {
  readonly program: string;
  readonly network: SandboxNetwork;
}

async function enclose(
  agent: SandboxedAgent,
  { dataFolder, hidden = [], openNetwork = openAgentNetwork }: SandboxOptions,
  bubblewrap: Bubblewrap,
): Promise<Enclosure> {
  const { workspace, directories = [], command, toolServers } = agent;
  for (const folder of [workspace, ...directories]) refuseFolder(folder, dataFolder);
  const network = await networkOf(agent, bubblewrap.network, openNetwork);
  try {
    const env = { ...environmentInside(agent.environment), ...network?.environment };
    const mounts = planMounts({ ...agent, environment: env, network }, [dataFolder, ...hidden]);
    const [program = "", ...args] = [
      ...(network?.enter ?? []),
      bubblewrap.program,
      ...bubblewrapArguments({ mounts, workspace, directories, network, command }),
    ];
    return {
      command: { program, args, env },
      isBubblewrap: true,
      needsServer: network !== null && network.outlives !== true,
      ...(network?.bind !== undefined && { bind: network.bind }),
      // Bubblewrap has a PID namespace.
      killAll: () => Promise.resolve(),
      toolServers:
        network === null ? toolServers : toolServers.map((each) => insideOf(each, network.inside)),
      close: () => network?.close(),
    };
  } catch (error) {
    network?.close();
    throw error;
  }
}

function refuseFolder({ path: folder }: Workspace, dataFolder: string): void {
  if (folder === "/" || folder === dataFolder)
    throw new AgentFault(
      "agent_not_started",
      `${folder} cannot be a repository in a sandbox: nothing could be hidden there.`,
    );
}

/** Null: the agent shares the network of the server. */
async function networkOf(
  { network, environment, toolServers, given }: SandboxedAgent,
  best: SandboxNetwork,
  openNetwork: typeof openAgentNetwork,
): Promise<AgentNetwork | null> {
  if (best.kind === "shared" && limitsHosts(network)) throw networkFault(best.why);
  if (best.kind === "shared" || network === "shared") return null;
  const rules = rulesOf(network);
  try {
    return await openNetwork({
      rules: { ...rules, local: [...rules.local, ...(network === "off" ? [] : localIn(given))] },
      environment,
      apis: apisOf(toolServers),
      user: best.kind === "full" ? best.parts : null,
    });
  } catch (error) {
    const message = `The network of the sandbox cannot be opened: ${errorText(error)}`;
    throw new AgentFault("agent_not_started", message, { cause: error, isPassing: true });
  }
}

type TestResult =
  | ({ readonly ok: true; readonly version: string } & Bubblewrap)
  | { readonly ok: false; readonly reason: string };

async function testBubblewrap(options: SandboxOptions): Promise<TestResult> {
  const { mode, environment, platform = process.platform } = options;
  if (platform !== "linux")
    return { ok: false, reason: `A sandbox needs Linux or macOS; this system is ${platform}.` };
  const program = findProgram("bwrap", environment["PATH"]);
  if (program === null)
    return {
      ok: false,
      reason: "Bubblewrap is not installed: the program bwrap was not found (package bubblewrap).",
    };
  try {
    const [{ stdout }, parts] = await Promise.all([
      promisify(execFile)(program, ["--version"], { timeout: TEST_MS }),
      (options.findUserNetwork ?? findUserNetwork)(environment["PATH"]),
    ]);
    const version = stdout.trim();
    const networks: SandboxNetwork[] = [];
    if (typeof parts === "object") networks.push({ kind: "full", parts });
    networks.push({ kind: "proxy", why: typeof parts === "string" ? parts : "" });
    // Some systems allow everything but a network of its own.
    if (mode === "auto") networks.push({ kind: "shared", why: "" });
    let problem: string | null = null;
    for (const network of networks) {
      const why = problem;
      const found = "why" in network && why !== null ? { ...network, why } : network;
      problem = await findProblem(options, { program, network: found });
      if (problem === null) return { ok: true, program, version, network: found };
    }
    return { ok: false, reason: `Bubblewrap does not work here: ${problem}` };
  } catch (error) {
    return { ok: false, reason: `Bubblewrap does not work here: ${errorText(error)}` };
  }
}

/** Long, because without this test a slow machine would lack the protection. */
const TEST_MS = 60_000;

/** Starts a program that exits at once as an agent is started. Null if that works. */
async function findProblem(
  options: SandboxOptions,
  bubblewrap: Bubblewrap,
): Promise<string | null> {
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
      network: "open",
      given: {},
    };
    // A network that ends with this process is enough for a test.
    const inside = { ...options, openNetwork: openAgentNetwork };
    const enclosure = await enclose(agent, inside, bubblewrap).catch(errorText);
    if (typeof enclosure === "string") return enclosure;
    try {
      const child = await spawnAgent({ command: enclosure.command, isEnclosed: true, workspace });
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
      enclosure.close();
    }
  } finally {
    closeSync(descriptor);
    rmSync(folder, { recursive: true, force: true });
  }
}
