import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { errorText } from "../../domain/error-text.ts";
import { sweepAgents } from "../acp/process/process-sweep.ts";
import { sourceOptions } from "../node-options.ts";
import { AgentFault } from "../provider.ts";
import { readHostFile } from "./host-file.ts";
import { removeSocket } from "./host-socket.ts";
import {
  HOST_PROTOCOL,
  type HostedAgentState,
  type HostOrder,
  type HostState,
  type StartHosted,
} from "./host-protocol.ts";
import {
  connectToAgent,
  HostGone,
  type ConnectRequest,
  type HostedProcess,
} from "./hosted-process.ts";
import { createOrderLines } from "./order-lines.ts";
import { parseState } from "./parse-host.ts";
import { readAgentLog, type AgentHistory } from "./read-agent-log.ts";

/** Keeps agents alive while the server restarts. */
export interface AgentHost {
  /** Null while no host runs: it is started with the first agent. */
  readonly pid: number | null;
  /** The number of agents that this server has in it. */
  readonly size: number;
  /** Agents that an earlier server has left in the host, or only their logs. */
  readonly found: readonly FoundAgent[];
  /** Throws an `AgentFault`. */
  start(
    agent: Omit<StartHosted, "id">,
    options?: Pick<ConnectRequest, "onStderr">,
  ): Promise<HostedProcess>;
  /** Takes a living agent up. Throws an `AgentFault`. */
  attach(found: FoundAgent, options?: Pick<ConnectRequest, "onStderr">): Promise<HostedProcess>;
  /** Ends an agent, and removes what is left of it. */
  end(found: FoundAgent): Promise<void>;
  /** Removes what is left of an agent that is dead. */
  discard(found: FoundAgent): void;
  /** Agents have ended after so long unless this is repeated. Null: they need no lease. */
  keepFor(ms: number | null): void;
  /** The server ends. `agents`: they go on without it, or are ended. */
  close(options: { readonly agents: "go-on" | "end" }): Promise<void>;
}

export interface FoundAgent {
  readonly id: string;
  readonly isAlive: boolean;
  /** As it was when the server started. */
  readonly history: AgentHistory;
}

export interface AgentHostOptions {
  readonly folder: string;
  readonly version: string;
  readonly unattendedMs: number;
  /** The program of the host (default: the one beside this file). */
  readonly program?: readonly string[];
  readonly onTrouble?: (problem: string, error: unknown) => void;
}

const PROGRAM = path.join(import.meta.dirname, `host-program${path.extname(import.meta.filename)}`);
const LOG = ".log";
/** A host answers at once, but a busy machine may not let it. */
const ANSWER_MS = 10_000;
/** An urgent end takes at most so long. */
const END_URGENTLY_MS = 3_000;
/** For a host of another version to end its agents. */
const END_MS = 20_000;

/** Finds the host of the folder, if there is one. The caller holds the lock of the data folder. */
export async function openAgentHost(options: AgentHostOptions): Promise<AgentHost> {
  const { folder, version, unattendedMs, program = [PROGRAM], onTrouble = () => {} } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let host: AttendedHost | null = await findHost(folder, onTrouble);
  // An older host is replaced as soon as it has nothing to do.
  if (host !== null && host.version !== version && host.agents.length === 0) {
    host.order({ do: "end", agents: true });
    await host.gone(END_MS);
    host = null;
  }
  let starting: Promise<AttendedHost> | null = null;
  let leaseMs: number | null = null;
  const connected = new Set<HostedProcess>();
  const connectTo = async (request: ConnectRequest): Promise<HostedProcess> => {
    const agent = await connectToAgent(request);
    connected.add(agent);
    void agent.exited.then(() => connected.delete(agent));
    return agent;
  };
  const found = findAgents(folder, host?.agents ?? []);

  const settle = (next: AttendedHost): AttendedHost => {
    next.order({ do: "settings", unattendedMs });
    if (leaseMs !== null) next.order({ do: "keep", ms: leaseMs });
    void next.gone().then(() => {
      if (host === next) host = null;
    });
    return next;
  };
  if (host !== null) settle(host);

  const getHost = async (): Promise<AttendedHost> => {
    if (host !== null) return host;
    starting ??= startHost({ folder, version, program })
      .then((started) => (host = settle(started)))
      .catch((error: unknown) => {
        const message = `The agent host cannot be started: ${errorText(error)}. With "agents": {"host": "inside"} agents need none.`;
        throw new AgentFault("agent_not_started", message, { cause: error, isPassing: true });
      })
      .finally(() => (starting = null));
    return starting;
  };

  const attach: AgentHost["attach"] = async ({ id, history }, connecting = {}) => {
    if (host === null) throw new AgentFault("agent_exited", "The agent host has ended.");
    const { marker } = history.head.about;
    const opening = { do: "attach", id } as const;
    return connectTo({ socket: host.socket, opening, marker, ...connecting });
  };

  return {
    get pid() {
      return host?.pid ?? null;
    },
    get size() {
      return connected.size;
    },
    found,
    start: async (agent, connecting = {}) => {
      const opening = { do: "start", agent: { ...agent, id: randomUUID() } } as const;
      const { marker } = agent.about;
      const startIn = ({ socket }: AttendedHost): Promise<HostedProcess> =>
        connectTo({ socket, opening, marker, ...connecting });
      const first = await getHost();
      try {
        return await startIn(first);
      } catch (error) {
        // The host may have been killed a moment ago. Nobody has told an agent of it anything.
        if (!(error instanceof HostGone)) throw error;
        await first.gone(ANSWER_MS);
        if (host === first) host = null;
        return startIn(await getHost());
      }
    },
    attach,
    end: async (agent) => {
      if (agent.isAlive) {
        const process = await attach(agent);
        process.stdout.resume();
        process.signal("SIGKILL");
        await sweepAgents(agent.history.head.about.marker);
        await process.exited;
        process.host.forget();
      }
      rmSync(logFile(folder, agent.id), { force: true });
    },
    discard: ({ id }) => rmSync(logFile(folder, id), { force: true }),
    keepFor: (ms) => {
      const isLong = ms === null || ms > 3 * END_URGENTLY_MS;
      leaseMs = isLong ? (ms === null ? null : ms - END_URGENTLY_MS) : (ms * 2) / 3;
      host?.order({ do: "keep", ms: leaseMs });
    },
    close: async ({ agents }) => {
      await starting?.catch(() => {});
      const last = host;
      host = null;
      if (last === null) return;
      if (agents === "go-on") {
        for (const agent of connected) agent.host.leave();
        return last.leave();
      }
      last.order({ do: "end", agents: true });
      await last.gone(END_MS);
      last.leave();
    },
  };
}

interface AttendedHost {
  readonly pid: number;
  readonly version: string;
  readonly socket: string;
  readonly agents: readonly HostedAgentState[];
  order(order: HostOrder): void;
  /** Resolves when the host has closed the connection, or after this time. */
  gone(withinMs?: number): Promise<void>;
  leave(): void;
}

async function findHost(
  folder: string,
  onTrouble: NonNullable<AgentHostOptions["onTrouble"]>,
): Promise<AttendedHost | null> {
  const file = readHostFile(folder);
  if (file === null || !existsSync(file.socket)) return null;
  try {
    const host = await attend(file.socket);
    if (file.protocol === HOST_PROTOCOL) return host;
    onTrouble(`the agent host of another version with pid ${file.pid} is ended`, null);
    host.order({ do: "end", agents: true });
    await host.gone(END_MS);
    return null;
  } catch (error) {
    // It was killed, and left its socket behind.
    onTrouble(`the agent host with pid ${file.pid} does not answer`, error);
    removeSocket(folder, file.socket);
    return null;
  }
}

async function startHost({
  folder,
  version,
  program,
}: Required<Pick<AgentHostOptions, "folder" | "version" | "program">>): Promise<AttendedHost> {
  const args = [...sourceOptions(), ...program, folder, version];
  const child = spawn(process.execPath, args, {
    detached: true,
    cwd: "/",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const failed = once(child, "exit").then(([code, signal]) => {
    throw new Error(`it exited with ${String(code ?? signal)}`);
  });
  failed.catch(() => {});
  const timeout = AbortSignal.timeout(ANSWER_MS);
  await Promise.race([once(child.stdout, "data", { signal: timeout }), failed]);
  child.stdout.destroy();
  child.unref();
  const file = readHostFile(folder);
  if (file === null) throw new Error("it wrote no file about itself");
  return attend(file.socket);
}

async function attend(socket: string): Promise<AttendedHost> {
  const connection = connect(socket);
  const closed = new Promise<void>((resolve) => connection.once("close", () => resolve()));
  const state = await within(ANSWER_MS, stateOf(connection));
  connection.on("error", () => {});
  connection.resume();
  if (state === null) throw new Error("its reply cannot be read");
  const { pid, version, agents } = state;
  return {
    pid,
    version,
    socket,
    agents,
    order: (order) => void connection.write(`${JSON.stringify(order)}\n`),
    gone: (withinMs) =>
      withinMs === undefined ? closed : within(withinMs, closed).catch(() => {}),
    leave: () => connection.destroy(),
  };
}

function stateOf(connection: Socket): Promise<HostState | null> {
  return new Promise((resolve, reject) => {
    connection.once("error", reject);
    connection.once("close", () => reject(new Error("the host closed the connection")));
    const lines = createOrderLines((line) => resolve(parseState(line)));
    connection.on("data", lines.push);
    connection.write(`${JSON.stringify({ do: "attend", protocol: HOST_PROTOCOL })}\n`);
  });
}

async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error(`no reply within ${ms} ms`)), ms);
  try {
    return await Promise.race([promise, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The agents of the host, and the logs of those whose end it has written down. Another log is of a host that was killed, perhaps with
 * the whole machine. It is removed: what an agent said that no server has stored is lost, as it was before there was a host.
 */
function findAgents(folder: string, living: readonly HostedAgentState[]): readonly FoundAgent[] {
  const alive = new Set(living.filter(({ isAlive }) => isAlive).map(({ id }) => id));
  return readdirSync(folder).flatMap((name): FoundAgent[] => {
    if (!name.endsWith(LOG)) return [];
    const id = name.slice(0, -LOG.length);
    const history = readAgentLog(path.join(folder, name));
    const isAlive = alive.has(id);
    if (history !== null && (isAlive || history.exit !== null)) return [{ id, isAlive, history }];
    if (!isAlive) rmSync(path.join(folder, name), { force: true });
    return [];
  });
}

function logFile(folder: string, id: string): string {
  return path.join(folder, `${id}${LOG}`);
}
