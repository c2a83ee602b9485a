import type { Command } from "../acp/process/spawn-agent.ts";
import type { ToolServer } from "../provider.ts";

/** How an agent starts, in a sandbox or without one. */
export interface Enclosure {
  readonly command: Command;
  /** Whether the command starts the agent by bubblewrap. */
  readonly isBubblewrap: boolean;
  /** The agent's tool servers, with addresses that lead out of the sandbox. */
  readonly toolServers: readonly ToolServer[];
  /** Whether the agent loses something, such as its network, if the server ends. */
  readonly needsServer?: boolean;
  /** Call it when the agent has started. */
  readonly bind?: (pid: number) => void;
  /** Kills what is left of the agent. */
  killAll(): Promise<void>;
  /** Call it when the agent has exited. */
  close(): void;
}
