import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openPromptOf, sessionOf } from "../providers/acp/take-up.ts";
import { openAgentHost, type AgentHost } from "../providers/host/agent-host.ts";
import { createFoundAgents, NO_AGENTS, type FoundAgents } from "../runtime/take-up/found-agents.ts";
import type { AgentHostState } from "@holdfast/protocol";
import { hostFolderIn, makeFolder } from "./settings/data-folder.ts";
import type { LogFile } from "./log-file.ts";
import type { ServeSettings } from "./settings/settings.ts";
import { VERSION } from "./version.ts";

/** The process that keeps agents alive while the server restarts; undefined if they end with the server. */
export async function openHostOf(
  { dataFolder, agentHost }: Pick<ServeSettings, "dataFolder" | "agentHost">,
  logger: LogFile["logger"],
): Promise<AgentHost | undefined> {
  const folder = hostFolderIn(dataFolder);
  // Agents have never been outside.
  if (!agentHost.isOutside && !existsSync(folder)) return undefined;
  const host = await openAgentHost({
    folder,
    version: VERSION,
    unattendedMs: agentHost.unattendedMs,
    onTrouble: (problem, err) => logger.warn({ err }, problem),
  });
  if (agentHost.isOutside) return host;
  await Promise.all(host.found.map((agent) => host.end(agent)));
  await host.close({ agents: "end" });
  return undefined;
}

/** For clients of the server. */
export function hostState(host: AgentHost | undefined): AgentHostState {
  if (host === undefined) return { mode: "inside", pid: null, agents: 0 };
  return { mode: "outside", pid: host.pid, agents: host.size };
}

/**
 * The key for the tokens of agents' tools. Agents that outlive a server keep their tokens, so the next server needs the same
 * key.
 */
export function toolKeyIn(dataFolder: string): Buffer {
  const file = path.join(hostFolderIn(dataFolder), "tools.key");
  makeFolder(path.dirname(file));
  try {
    writeFileSync(file, randomBytes(KEY_BYTES), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!existsSync(file)) throw error;
  }
  const key = readFileSync(file);
  if (key.length === KEY_BYTES) return key;
  // It was being written when the disk was full or the power failed. No agent has a token of it.
  rmSync(file);
  return toolKeyIn(dataFolder);
}

const KEY_BYTES = 32;

/** The agents that an earlier server has left there. */
export function foundIn(host: AgentHost | undefined): FoundAgents {
  if (host === undefined) return NO_AGENTS;
  const found = host.found.map((agent) => ({
    agent: agent.id,
    ...agent.history.head.about,
    sessionId: sessionOf(agent.history),
    isAlive: agent.isAlive,
    prompt: openPromptOf(agent.history),
  }));
  return createFoundAgents(found, async ({ agent: id }) => {
    const agent = host.found.find((each) => each.id === id);
    if (agent !== undefined) await host.end(agent);
  });
}
