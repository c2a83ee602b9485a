import type { HostedProcess } from "../../host/hosted-process.ts";
import type { Marker } from "./agent-environment.ts";
import { NOTHING_SWEPT, sweepAgents, type SweepResult } from "./process-sweep.ts";

export interface SweepAfter {
  readonly marker: Marker;
  /** Null if the agent is a child of this server. */
  readonly hosted: () => HostedProcess["host"] | null;
  /** Ends what surrounds the agent. */
  readonly endSurroundings: () => Promise<unknown> | undefined;
  readonly onLeftovers?: ((result: SweepResult) => void) | undefined;
}

/** Ends what an agent has left, unless another server has taken the agent up. */
export function sweepAfterAgent(options: SweepAfter): () => Promise<SweepResult> {
  const { marker, hosted, endSurroundings, onLeftovers } = options;
  return async () => {
    if (hosted()?.endedBy === "replaced") return NOTHING_SWEPT;
    await endSurroundings();
    const result = await sweepAgents(marker);
    if (result.left.length > 0) onLeftovers?.(result);
    return result;
  };
}
