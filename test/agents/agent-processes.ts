import { readdirSync, readFileSync } from "node:fs";
import { MARKER_VARIABLE } from "../../packages/server/src/providers/acp/process/agent-environment.ts";

export interface AgentProcess {
  readonly pid: number;
  readonly parent: number;
}

/** All agent processes whose home is below this folder, regardless of working directory and parent. */
export function agentProcesses(homes: string): readonly AgentProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
        if (!environment.includes(`${MARKER_VARIABLE}=`)) return [];
        if (!environment.includes(`${homes}/`)) return [];
        const status = readFileSync(`/proc/${pid}/status`, "utf8");
        return [{ pid, parent: Number(/^PPid:\s+(\d+)$/mu.exec(status)?.[1]) }];
      } catch {
        return []; // it has exited or belongs to another user
      }
    });
}
