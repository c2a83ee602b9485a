import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { findProgram } from "../acp/process/find-program.ts";
import { localIn } from "../network/agent-network.ts";
import { openLoopbackNetwork, type LoopbackNetwork } from "../network/loopback-network.ts";
import { rulesOf } from "../network/network-policy.ts";
import { apisOf, insideOf } from "./api-of-tools.ts";
import type { Enclosure } from "./enclosure.ts";
import { planMounts, type SandboxedAgent } from "./plan-mounts.ts";
import { seatbeltProfile } from "./seatbelt.ts";

/** The program of macOS that runs others in a sandbox; null if there is none. */
export function findSeatbelt(searchPath: string | undefined): string | null {
  return findProgram("sandbox-exec", searchPath);
}

/** How an agent starts in the sandbox of macOS. */
export async function encloseInSeatbelt(
  agent: SandboxedAgent,
  hidden: readonly string[],
  program: string,
): Promise<Enclosure> {
  const { command, toolServers, environment } = agent;
  const temporary = mkdtempSync(path.join(tmpdir(), "holdfast-agent-"));
  let network: LoopbackNetwork | null = null;
  const close = (): void => {
    network?.close();
    rmSync(temporary, { recursive: true, force: true });
  };
  try {
    const rules = agent.network === "shared" ? null : rulesOf(agent.network);
    const local = [
      ...(rules?.local ?? []),
      ...(agent.network === "off" ? [] : localIn(agent.given)),
    ];
    if (rules !== null)
      network = await openLoopbackNetwork({
        rules: { ...rules, local },
        environment,
        apis: apisOf(toolServers),
      });
    const opened = network;
    const profile = seatbeltProfile({
      mounts: planMounts({ ...agent, network: null }, hidden),
      temporary,
      ports: opened === null ? null : [opened.port, ...local.map(({ port }) => port)],
    });
    const env = { ...environment, TMPDIR: temporary, ...opened?.environment };
    return {
      command: { program, args: ["-p", profile, ...command], env },
      isBubblewrap: false,
      toolServers:
        opened === null ? toolServers : toolServers.map((each) => insideOf(each, opened.inside)),
      killAll: () => Promise.resolve(),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
