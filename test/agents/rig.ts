import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import type { ProtocolChoice } from "../../packages/server/src/providers/acp/v2/versioned-peer.ts";
import { readHostFile } from "../../packages/server/src/providers/host/host-file.ts";
import { BUILT_IN } from "../../packages/server/src/providers/built-in.ts";
import { decideAnswer } from "../../packages/server/src/providers/testing/fake-models/decide-answer.ts";
import {
  startFakeModels,
  type FakeModels,
} from "../../packages/server/src/providers/testing/fake-models/fake-models.ts";
import {
  prepareFolder,
  removeFolder,
  startHoldfast,
  type ProcessResult,
  type RunningServer,
} from "../e2e/holdfast-process.ts";
import { agentProcesses, type AgentProcess } from "./agent-processes.ts";
import type { InstalledAgent } from "./install-agent.ts";
import { commandOf, loginProviderOf } from "./login-providers.ts";

/** A real server, models on loopback, and agents configured to use them. */
export interface Rig {
  readonly models: FakeModels;
  /** A client of the current server, and its address. */
  readonly client: Client;
  readonly url: string;
  /** The workspace root. */
  readonly root: string;
  readonly data: string;
  /** The home folder of an agent. */
  homeOf(agent: string): string;
  /** A new repository for a session. */
  newFolder(): { readonly name: string; readonly path: string };
  /** Stops the server and starts another one on the same data, with these variables, which MCP servers may use. */
  restartWith(variables: Readonly<Record<string, string>>): Promise<void>;
  /** Kills the server with `kill -9` and starts another one on the same data. Agents go on. */
  killServer(): Promise<void>;
  /** The same, but also kills the process that keeps agents alive, so that they are lost. */
  killAll(): Promise<void>;
  /** The process of the one agent that was started, without that process's children. */
  agentPid(): number;
  /** Kills the process of the one agent with `kill -9`, but not that process's children. */
  killAgent(): void;
  /** Writes the files of a login for the agent that has none. */
  writeLogin(agent: InstalledAgent): void;
  /** Resolves when no agent process is left and the server knows of the killed one. Throws after a timeout. */
  noAgents(): Promise<void>;
  close(): Promise<void>;
}

const EXIT_MS = 20_000;

export interface RigOptions {
  /** If true, agents start only in the sandbox, with their own folders mounted. */
  readonly isSandboxed: boolean;
  /** The version of the protocol; the default of the provider if it is undefined. */
  readonly protocol?: ProtocolChoice | undefined;
  /** Agents that may be alive at the same time; the default of the server if it is undefined. */
  readonly liveAgents?: number;
  /** What the models answer; default: they follow directives. */
  readonly decide?: typeof decideAnswer;
}

export async function openRig(
  agents: readonly InstalledAgent[],
  { isSandboxed, protocol, liveAgents, decide = decideAnswer }: RigOptions,
): Promise<Rig> {
  const models = await startFakeModels({ decide });
  const homes = prepareFolder({});
  const providers: Record<string, object> = Object.fromEntries(
    agents.map((agent) => [
      agent.name,
      {
        type: "acp",
        ...(protocol !== undefined && { protocol }),
        env: environmentOf(agent, homes, models),
        // Some agents find the address of the models in a file.
        network: { local: [new URL(models.url).host] },
      },
    ]),
  );
  for (const agent of agents) {
    const { name, login } = agent;
    if (login === undefined) continue;
    const locked = { ...agent, name: loginProviderOf(name), setUp: login.setUp };
    providers[locked.name] = {
      type: "acp",
      command: commandOf(agent),
      env: environmentOf(locked, homes, models),
      network: { local: [new URL(models.url).host] },
    };
  }
  const sandbox = isSandboxed ? "required" : "off";
  const { folder, data, root } = prepareFolder({
    providers,
    sandbox,
    worktrees: { agentTools: ["commit_changes"] },
    mcpVariables: ["LEAD_AUTHORIZATION"],
  });
  let env: Readonly<Record<string, string>> = {
    ...serverEnvironment(agents, root),
    ...(liveAgents !== undefined && { AGENT_MAX_SESSIONS: String(liveAgents) }),
  };
  const start = (): Promise<RunningServer> => startHoldfast({ data, env });
  const removeAll = (): void => {
    for (const each of [folder, homes.folder]) removeFolder(each);
  };
  let server = await start();
  /** Cleanup if `close` is never called: the server stops its agents itself. */
  const abandon = (): void => {
    process.kill(server.pid, "SIGTERM");
    removeAll();
  };
  process.once("exit", abandon);
  let client = createClient(server);
  let folders = 0;
  const processes = (): readonly AgentProcess[] => agentProcesses(homes.folder);
  const restart = async (): Promise<void> => {
    server = await start();
    client = createClient(server);
  };
  /** Null if no agent was started in one. */
  const hostPid = (): number | null => readHostFile(path.join(data, "host"))?.pid ?? null;
  const agentPid = (): number => {
    const parents = new Set([server.pid, hostPid()]);
    const [agent, ...others] = processes().filter(({ parent }) => parents.has(parent));
    if (agent === undefined || others.length > 0)
      throw new Error("expected exactly one agent process");
    return agent.pid;
  };
  /**
   * A process that is being killed has no readable environment any more, but its pipes are still open, and its parent
   * does not know yet. A message that it is given in this time is lost with it, and its run fails.
   */
  const killed = new Set<number>();
  const dying = (): readonly AgentProcess[] =>
    [...killed]
      .filter((pid) => existsSync(`/proc/${pid}`))
      .map((pid) => ({ pid, parent: server.pid }));
  const noAgents = async (): Promise<void> => {
    const deadline = Date.now() + EXIT_MS;
    for (;;) {
      const left = [...processes(), ...dying()];
      if (left.length === 0) return;
      if (Date.now() > deadline)
        throw new Error(`agent processes are still running: ${JSON.stringify(left)}`);
      await pause(50);
    }
  };
  return {
    models,
    get client() {
      return client;
    },
    get url() {
      return server.url;
    },
    root,
    data,
    homeOf: (agent) => path.join(homes.folder, agent),
    newFolder: () => {
      folders += 1;
      const name = `repo-${folders}`;
      mkdirSync(path.join(root, name, ".git"), { recursive: true });
      return { name, path: path.join(root, name) };
    },
    restartWith: async (variables) => {
      env = { ...env, ...variables };
      await server.end("SIGTERM");
      await restart();
    },
    killServer: async () => {
      await server.end("SIGKILL");
      await restart();
    },
    killAll: async () => {
      await server.end("SIGKILL");
      const host = hostPid();
      if (host !== null && existsSync(`/proc/${host}`)) process.kill(host, "SIGKILL");
      await restart();
    },
    agentPid,
    killAgent: () => {
      const pid = agentPid();
      process.kill(pid, "SIGKILL");
      killed.add(pid);
    },
    writeLogin: ({ name, login }) =>
      login?.write({ home: path.join(homes.folder, loginProviderOf(name)), url: models.url }),
    noAgents,
    close: async () => {
      process.off("exit", abandon);
      const ended: ProcessResult = await server.end("SIGTERM");
      await models.close();
      const left = processes();
      for (const { pid } of left) process.kill(pid, "SIGKILL");
      removeAll();
      if (ended.code !== 0)
        throw new Error(`the server exited with ${ended.code}: ${ended.stderr}`);
      if (left.length > 0)
        throw new Error(`the server left processes behind: ${JSON.stringify(left)}`);
    },
  };
}

/** A home folder, and proxies that point to nothing: most agents respect them, but they are no security boundary. */
export function environmentOf(
  agent: InstalledAgent,
  { folder }: { readonly folder: string },
  { url }: FakeModels,
): Record<string, string> {
  const home = path.join(folder, agent.name);
  // Codex refuses a home inside the folder for temporary files.
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
    if (variable == null) throw new Error(`no environment variable sets the program of ${name}`);
    return [variable, file];
  });
  const { PATH = "" } = process.env;
  return {
    AGENT_WORKSPACE_ROOT: root,
    // The agents are scripts: run them on the Node that runs this program.
    PATH: `${path.dirname(process.execPath)}${path.delimiter}${PATH}`,
    ...Object.fromEntries(programs),
  };
}
