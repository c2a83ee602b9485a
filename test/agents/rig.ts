import { mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import { BUILT_IN } from "../../packages/server/src/providers/built-in.ts";
import {
  startFakeModels,
  type FakeModels,
} from "../../packages/server/src/providers/testing/fake-models/fake-models.ts";
import {
  prepareFolder,
  removeFolder,
  startHoldfast,
  type Ended,
  type RunningServer,
} from "../e2e/holdfast-process.ts";
import { agentProcesses, type AgentProcess } from "./agent-processes.ts";
import type { InstalledAgent } from "./install-agent.ts";

/** A real server, models on loopback, and agents that are set up to ask them. */
export interface Rig {
  readonly models: FakeModels;
  /** Of the server as it runs now. */
  readonly client: Client;
  readonly data: string;
  /** A new repository for a session. */
  newFolder(): { readonly name: string; readonly path: string };
  /** `kill -9` of the server, and another one on what it left. */
  killAndRestart(): Promise<void>;
  /** `kill -9` of the one process the server started, and of nothing that this has started itself. */
  killAgent(): void;
  /** Resolves when no agent is left; throws when some still is after a while. */
  noAgents(): Promise<void>;
  close(): Promise<void>;
}

const GONE_MS = 20_000;

export interface RigOptions {
  /** Whether agents are started in the sandbox, with their own folders mounted, or not at all. */
  readonly isEnclosed: boolean;
}

export async function openRig(
  agents: readonly InstalledAgent[],
  { isEnclosed }: RigOptions,
): Promise<Rig> {
  const models = await startFakeModels();
  const homes = prepareFolder({});
  const providers = Object.fromEntries(
    agents.map((agent) => [agent.name, { type: "acp", env: environmentOf(agent, homes, models) }]),
  );
  const sandbox = isEnclosed ? "required" : "off";
  const { folder, data, root } = prepareFolder({ providers, sandbox });
  const start = (): Promise<RunningServer> =>
    startHoldfast({ data, env: serverEnvironment(agents, root) });
  const removeAll = (): void => {
    for (const each of [folder, homes.folder]) removeFolder(each);
  };
  let server = await start();
  /** For when nobody gets to close it: the server ends its agents itself. */
  const abandon = (): void => {
    process.kill(server.pid, "SIGTERM");
    removeAll();
  };
  process.once("exit", abandon);
  let client = createClient({ url: server.url });
  let folders = 0;
  const processes = (): readonly AgentProcess[] => agentProcesses(homes.folder);
  const noAgents = async (): Promise<void> => {
    const deadline = Date.now() + GONE_MS;
    for (;;) {
      const left = processes();
      if (left.length === 0) return;
      if (Date.now() > deadline) throw new Error(`processes are left: ${JSON.stringify(left)}`);
      await pause(50);
    }
  };
  return {
    models,
    get client() {
      return client;
    },
    data,
    newFolder: () => {
      folders += 1;
      const name = `repo-${folders}`;
      mkdirSync(path.join(root, name, ".git"), { recursive: true });
      return { name, path: path.join(root, name) };
    },
    killAndRestart: async () => {
      await server.end("SIGKILL");
      server = await start();
      client = createClient({ url: server.url });
    },
    killAgent: () => {
      const [agent, ...others] = processes().filter(({ parent }) => parent === server.pid);
      if (agent === undefined || others.length > 0) throw new Error("there is not one agent");
      process.kill(agent.pid, "SIGKILL");
    },
    noAgents,
    close: async () => {
      process.off("exit", abandon);
      const ended: Ended = await server.end("SIGTERM");
      await models.close();
      const left = processes();
      for (const { pid } of left) process.kill(pid, "SIGKILL");
      removeAll();
      if (ended.code !== 0) throw new Error(`the server ended with ${ended.code}: ${ended.stderr}`);
      if (left.length > 0) throw new Error(`the server left processes: ${JSON.stringify(left)}`);
    },
  };
}

/** A home of its own, and proxies that lead nowhere: no wall, but most agents heed them. */
function environmentOf(
  agent: InstalledAgent,
  { folder }: { readonly folder: string },
  { url }: FakeModels,
): Record<string, string> {
  const home = path.join(folder, agent.name);
  // Codex refuses a home inside of the folder for temporary files.
  const temporary = path.join(folder, `${agent.name}-tmp`);
  for (const each of [home, temporary]) mkdirSync(each);
  return {
    HOME: home,
    TMPDIR: temporary,
    XDG_CACHE_HOME: path.join(home, ".cache"),
    XDG_CONFIG_HOME: path.join(home, ".config"),
    XDG_DATA_HOME: path.join(home, ".local/share"),
    XDG_STATE_HOME: path.join(home, ".local/state"),
    HTTP_PROXY: NOWHERE,
    HTTPS_PROXY: NOWHERE,
    NO_PROXY: "127.0.0.1,localhost",
    ...agent.setUp({ home, url }),
  };
}

const NOWHERE = "http://127.0.0.1:9";

function serverEnvironment(
  agents: readonly InstalledAgent[],
  root: string,
): Record<string, string> {
  const programs = agents.map(({ name, file }): [string, string] => {
    const variable = BUILT_IN.find((definition) => definition.name === name)?.pathVariable;
    if (variable == null) throw new Error(`no variable names the program of ${name}`);
    return [variable, file];
  });
  const { PATH = "" } = process.env;
  return {
    AGENT_WORKSPACE_ROOT: root,
    // Their programs are scripts for the Node that runs this one.
    PATH: `${path.dirname(process.execPath)}${path.delimiter}${PATH}`,
    ...Object.fromEntries(programs),
  };
}
