import { errorText } from "../../../domain/error-text.ts";
import { readStat } from "../../acp/process/process-sweep.ts";
import { openAgentNetwork, type AgentNetwork } from "../agent-network.ts";
import type { KeeperOrder, KeeperReply, WrittenOptions } from "./keeper-protocol.ts";

interface Kept {
  readonly network: AgentNetwork;
  /** The agent: its process, and when that started. Null until it is known. */
  agent: { readonly pid: number; readonly start: string } | null;
}

export interface KeeperOptions {
  readonly reply: (reply: KeeperReply) => void;
  /** All agents are gone, and so is the server, or it has needed nothing for a while. */
  readonly onDone: () => void;
}

const LOOK_MS = 1_000;
const IDLE_MS = 60_000;

/** Keeps the networks of agents open until the agents have exited, even if the server is gone. */
export function createKeeper({ reply, onDone }: KeeperOptions) {
  const networks = new Map<string, Kept>();
  let isServerGone = false;
  let opening = 0;

  const close = (id: string): void => {
    networks.get(id)?.network.close();
    networks.delete(id);
    leaveIfDone();
  };
  let idleSince: number | null = performance.now();
  const leaveIfDone = (): void => {
    const isIdle = opening === 0 && networks.size === 0;
    idleSince = isIdle ? (idleSince ?? performance.now()) : null;
    const isOld = idleSince !== null && performance.now() - idleSince > IDLE_MS;
    if (isIdle && (isServerGone || isOld)) onDone();
  };
  const look = (): void => {
    for (const [id, { agent }] of networks)
      if (agent !== null && readStat(agent.pid)?.start !== agent.start) close(id);
    leaveIfDone();
  };
  setInterval(look, LOOK_MS);

  const open = async (id: string, { apis, ...options }: WrittenOptions): Promise<void> => {
    opening += 1;
    idleSince = null;
    try {
      const network = await openAgentNetwork({ ...options, apis: apis.map((url) => new URL(url)) });
      if (isServerGone) return network.close();
      networks.set(id, { network, agent: null });
      const { inside: _inside, close: _close, ...kept } = network;
      reply({ id, network: kept });
    } catch (error) {
      reply({ id, problem: errorText(error) });
    } finally {
      opening -= 1;
      leaveIfDone();
    }
  };

  return {
    obey(order: KeeperOrder): void {
      switch (order.do) {
        case "open":
          return void open(order.id, order.options);
        case "bind": {
          const kept = networks.get(order.id);
          const start = readStat(order.pid)?.start;
          if (kept !== undefined && start !== undefined) kept.agent = { pid: order.pid, start };
          return;
        }
        case "close":
          return close(order.id);
        default:
          order satisfies never;
      }
    },
    /** Networks of agents that have not started yet are not needed any more. */
    loseServer(): void {
      isServerGone = true;
      for (const [id, { agent }] of networks) if (agent === null) close(id);
      leaveIfDone();
    },
  };
}
