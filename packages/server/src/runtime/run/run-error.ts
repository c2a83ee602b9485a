import type { RunError } from "../../domain/run.ts";
import { AgentFault } from "../../providers/provider.ts";

export function silentFault(silentMs: number): AgentFault {
  const minutes = Math.round(silentMs / 60_000);
  const span = minutes > 0 ? `${minutes} min` : `${silentMs} ms`;
  return new AgentFault("agent_unresponsive", `The agent said nothing for ${span}.`);
}

export function toRunError({ code, message, detail }: AgentFault): RunError {
  return { code, message, detail };
}
