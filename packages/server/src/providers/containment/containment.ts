import type { Command } from "../acp/process/spawn-agent.ts";

/**
 * Keeps the processes of an agent without a sandbox together, so that none outlives it. `marker`: they are only
 * recognised by a variable, which a process can clear.
 */
export const CONTAINMENTS = ["pid-namespace", "control-group", "marker"] as const;
export type ContainmentKind = (typeof CONTAINMENTS)[number];

export interface Containment {
  readonly kind: ContainmentKind;
  contain(command: Command): Contained;
}

export interface Contained {
  readonly command: Command;
  /** Kills what is left of the agent. */
  killAll(): Promise<void>;
}
