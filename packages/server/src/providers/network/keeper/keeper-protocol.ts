import type { AgentNetwork, AgentNetworkOptions } from "../agent-network.ts";

/** What a server asks of the process that keeps networks open, as lines of JSON. */
export type KeeperOrder =
  | { readonly do: "open"; readonly id: string; readonly options: WrittenOptions }
  /** The network is closed when this process has exited. */
  | { readonly do: "bind"; readonly id: string; readonly pid: number }
  | { readonly do: "close"; readonly id: string };

export type KeeperReply = { readonly id: string } & (
  | { readonly network: KeptNetwork }
  | { readonly problem: string }
);

export interface WrittenOptions extends Omit<AgentNetworkOptions, "apis"> {
  readonly apis: readonly string[];
}

/** A network without its functions. */
export type KeptNetwork = Omit<AgentNetwork, "inside" | "outlives" | "bind" | "close">;
