import path from "node:path";
import { openPromptOf } from "../providers/acp/take-up.ts";
import { openAgentHost, type AgentHost } from "../providers/host/agent-host.ts";
import { createFoundAgents, NO_AGENTS, type FoundAgents } from "../runtime/take-up/found-agents.ts";
import type { LogFile } from "./log-file.ts";
import type { ServeSettings } from "./settings/settings.ts";
import { VERSION } from "./version.ts";

/** The process that keeps agents alive while the server restarts; undefined if they end with the server. */
export async function openHostOf(
  { dataFolder, agentHost }: Pick<ServeSettings, "dataFolder" | "agentHost">,
  logger: LogFile["logger"],
): Promise<AgentHost | undefined> {
  if (!agentHost.isOutside) return undefined;
  return openAgentHost({
    folder: path.join(dataFolder, "host"),
    version: VERSION,
    unattendedMs: agentHost.unattendedMs,
    onTrouble: (problem, err) => logger.warn({ err }, problem),
  });
}

/** The agents that an earlier server has left there. */
export function foundIn(host: AgentHost | undefined): FoundAgents {
  if (host === undefined) return NO_AGENTS;
  const found = host.found.map((agent) => ({
    agent: agent.id,
    ...agent.history.head.about,
    isAlive: agent.isAlive,
    prompt: openPromptOf(agent.history),
  }));
  return createFoundAgents(found, async ({ agent: id }) => {
    const agent = host.found.find((each) => each.id === id);
    if (agent !== undefined) await host.end(agent);
  });
}
