import { createServer, type Server, type Socket } from "node:net";
import path from "node:path";
import { errorText } from "../../domain/error-text.ts";
import { AgentFault } from "../provider.ts";
import { frameHeader } from "./frames.ts";
import {
  FRAMES,
  HOST_PROTOCOL,
  type EndedBy,
  type HostFault,
  type HostOrder,
  type HostState,
  type Opening,
  type StartHosted,
} from "./host-protocol.ts";
import { HostedAgent, type HostLimits } from "./hosted-agent.ts";
import { createOrderLines } from "./order-lines.ts";
import { parseOpening, parseOrder } from "./parse-host.ts";

export interface HostOptions {
  /** For the logs of agents. */
  readonly folder: string;
  readonly version: string;
  readonly limits: HostLimits;
  /** Whether a server could still come: the data folder exists. */
  readonly isReachable: () => boolean;
  /** Nothing is left to do. */
  readonly onDone: () => void;
}

export interface Host {
  readonly server: Server;
  /** Ends all agents, and then the host. */
  end(): Promise<void>;
}

/** Until a server says how long agents may work without one. */
const UNATTENDED_MS = 10_000;
/** A host without agents and without a server exits. */
const LEAVE_MS = 1_000;
/** How often a host without a server looks whether one can come. */
const LOOKOUT_MS = 1_000;

/** Keeps agents alive while no server is there. One server at a time attends it: the latest. */
export function createHost(options: HostOptions): Host {
  const { folder, version, limits, isReachable, onDone } = options;
  const agents = new Map<string, HostedAgent>();
  let attendant: Socket | null = null;
  let unattendedMs = UNATTENDED_MS;
  let alone: NodeJS.Timeout | undefined;
  let lookout: NodeJS.Timeout | undefined;
  let lease: NodeJS.Timeout | null = null;
  let isEnding = false;
  let starting = 0;

  const endAll = async (by: EndedBy, isUrgent: boolean): Promise<void> => {
    await Promise.all([...agents.values()].map((agent) => agent.end(by, { isUrgent })));
  };

  /** Nobody needs the host any more. The logs of agents that nobody has asked about stay for a later server. */
  const leaveIfDone = (): void => {
    const isWorking = starting > 0 || [...agents.values()].some(({ isAlive }) => isAlive);
    if (isWorking || (attendant !== null && !isEnding)) return;
    for (const agent of agents.values()) agent.close({ isForgotten: false });
    onDone();
  };

  const noteAttendance = (): void => {
    clearTimeout(alone);
    clearInterval(lookout);
    if (attendant !== null) return;
    const endAlone = async (): Promise<void> => {
      clearTimeout(alone);
      clearInterval(lookout);
      await endAll("unattended", false);
      setTimeout(leaveIfDone, LEAVE_MS);
    };
    alone = setTimeout(() => void endAlone(), unattendedMs);
    lookout = setInterval(() => {
      if (!isReachable()) void endAlone();
    }, LOOKOUT_MS);
    setTimeout(leaveIfDone, LEAVE_MS);
  };

  const keepFor = (ms: number | null): void => {
    if (lease !== null) clearTimeout(lease);
    lease = ms === null ? null : setTimeout(() => void endAll("lease", true), ms);
  };

  const obey = (order: HostOrder | null): void => {
    if (order === null) return;
    switch (order.do) {
      case "settings":
        ({ unattendedMs } = order);
        return;
      case "keep":
        return keepFor(order.ms);
      case "end":
        isEnding = true;
        if (order.agents) void endAll("host", true).then(leaveIfDone);
        else leaveIfDone();
        return;
      default:
        order satisfies never;
    }
  };

  const attend = (connection: Socket): void => {
    attendant?.destroy();
    attendant = connection;
    isEnding = false;
    noteAttendance();
    connection.once("close", () => {
      if (attendant !== connection) return;
      attendant = null;
      noteAttendance();
      if (isEnding) leaveIfDone();
    });
    const state: HostState = {
      protocol: HOST_PROTOCOL,
      version,
      pid: process.pid,
      agents: [...agents.values()].map(({ id, isAlive }) => ({ id, isAlive })),
    };
    connection.write(`${JSON.stringify(state)}\n`);
  };

  const start = async (connection: Socket, order: StartHosted): Promise<HostedAgent | null> => {
    starting += 1;
    try {
      const agent = await HostedAgent.start({
        order,
        logFile: path.join(folder, `${order.id}.log`),
        limits,
        onExit: leaveIfDone,
      });
      agents.set(order.id, agent);
      // The server may be gone by now. Nobody else knows of the agent, which has not been told anything.
      if (connection.destroyed) void agent.end("unattended", { isUrgent: true });
      return agent;
    } catch (error) {
      refuse(connection, error);
      return null;
    } finally {
      starting -= 1;
    }
  };

  const server = createServer((connection) => {
    let agent: HostedAgent | null = null;
    let isAttendant = false;
    const open = async (opening: Opening | null): Promise<void> => {
      if (opening === null) return void connection.destroy();
      if (opening.do === "attend") {
        isAttendant = true;
        return attend(connection);
      }
      connection.pause();
      agent =
        opening.do === "start"
          ? await start(connection, opening.agent)
          : (agents.get(opening.id) ?? null);
      if (agent === null && opening.do === "attach")
        refuse(connection, new AgentFault("agent_exited", "The host does not know this agent."));
      agent?.attach(connection);
      connection.resume();
    };
    let isOpened = false;
    const lines = createOrderLines((line) => {
      if (!isOpened) {
        isOpened = true;
        void open(parseOpening(line));
      } else if (isAttendant) {
        if (connection === attendant) obey(parseOrder(line));
      } else if (agent?.follow(connection, line) === true) {
        agents.delete(agent.id);
        agent.close({ isForgotten: true });
        leaveIfDone();
      }
    });
    connection.on("data", lines.push);
    connection.on("error", () => {});
  });
  noteAttendance();

  return {
    server,
    end: async () => {
      isEnding = true;
      await endAll("host", true);
      leaveIfDone();
    },
  };
}

function refuse(connection: Socket, error: unknown): void {
  const fault = error instanceof AgentFault ? error : null;
  const reply: HostFault = {
    ok: false,
    code: fault?.code ?? "agent_not_started",
    message: fault?.message ?? errorText(error),
    isPassing: fault?.isPassing ?? false,
  };
  const bytes = Buffer.from(JSON.stringify(reply));
  connection.end(Buffer.concat([frameHeader(FRAMES.attached, bytes.length), bytes]));
}
