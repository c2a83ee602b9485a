import type { McpServers } from "../../domain/mcp-server.ts";
import type { NetworkPolicy } from "../network/network-policy.ts";
import type { ProtocolChoice } from "./v2/versioned-peer.ts";

/** The configuration of an agent program that speaks ACP over stdio. */
export interface AcpDefinition {
  readonly name: string;
  readonly title: string;
  /** Program and arguments. `{workspace}` in an argument is replaced by the folder of the repository. */
  readonly command: readonly string[];
  /** The version of the Agent Client Protocol to speak with it. */
  readonly protocol: ProtocolChoice;
  /** Variables for this agent only. Most of their values are secrets: see `secretsOfOwn`. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables of the server that this agent may see besides the common ones, such as its API key. Some are secrets. */
  readonly passes: readonly string[];
  /** The server's variable that replaces the program in `command`. */
  readonly pathVariable: string | null;
  /** The agent's own files, such as logins and sessions, that it sees in a sandbox; read by `configuredMounts`. */
  readonly mounts: readonly string[];
  /** The files in which it leaves output that is too long for its model; read by `filePatterns`. */
  readonly outputFiles: readonly string[];
  /** What it can reach from a sandbox. */
  readonly network: NetworkPolicy;
  /** A command that installs it. */
  readonly install: string | null;
  /** A sentence that says how to log in to it; null if it needs no login, or if that is unknown. */
  readonly login: string | null;
  /** The permission mode of new sessions; null keeps the agent's default. */
  readonly mode: string | null;
  /** Whether it asks before it makes changes in this configuration; null if unknown. */
  readonly asks: boolean | null;
  /** Models to offer before an agent has reported its own. */
  readonly models: readonly string[];
  /** The login method to use if the agent requires one. */
  readonly authMethod: string | null;
  /** Its commands keep running after a cancel, so a cancel must stop the process. */
  readonly endsOnCancel: boolean;
  /** It is known to send updates of a prompt after its reply to it. Of other agents this is found out while they work. */
  readonly speaksLate: boolean;
  /** The user's MCP servers for all its agents. Many of their values are secrets. */
  readonly mcpServers: McpServers;
  /** Whether it gets Holdfast's own tools. */
  readonly tools: boolean;
  /** It can load only sessions that are at least this old. */
  readonly loadableAfterMs: number;
}
