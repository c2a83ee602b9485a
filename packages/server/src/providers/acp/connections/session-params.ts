import type { McpServer } from "@agentclientprotocol/sdk";
import type { ToolServer, Workspace } from "../../provider.ts";
import type { Capabilities } from "../capabilities.ts";
import type { UserServer } from "./user-servers.ts";

/** Everything that an agent is connected to besides its repository. */
export interface AgentConnections {
  /** Holdfast's own tools. */
  readonly toolServers: readonly ToolServer[];
  readonly userServers: readonly UserServer[];
  readonly directories: readonly Workspace[];
}

/** The parameters with which a session is created, loaded, resumed or forked. */
export interface SessionParams {
  readonly cwd: string;
  readonly mcpServers: McpServer[];
  readonly additionalDirectories?: string[];
}

export function sessionParams(
  workspace: Workspace,
  { toolServers, userServers, directories }: AgentConnections,
  capabilities: Capabilities,
): SessionParams {
  const users = userServers.filter((server) => isTaken(server, capabilities));
  return {
    cwd: workspace.path,
    mcpServers: [
      ...toolServers.map((server) => toToolServer(server, capabilities)),
      ...users.map(toMcpServer),
    ],
    ...(capabilities.additionalDirectories &&
      directories.length > 0 && {
        additionalDirectories: directories.map(({ path }) => path),
      }),
  };
}

/** Sentences about connections that the agent does not support. */
export function unsupported(
  title: string,
  { userServers, directories }: AgentConnections,
  capabilities: Capabilities,
): readonly string[] {
  const refused = userServers.filter((server) => !isTaken(server, capabilities));
  const notices = refused.map(
    ({ name, type }) =>
      `The MCP server ${name} is left out: ${title} does not support MCP over ${type.toUpperCase()}.`,
  );
  if (directories.length === 0 || capabilities.additionalDirectories) return notices;
  const paths = directories.map(({ path }) => path).join(", ");
  return [
    ...notices,
    `${title} is not told about further directories, but can work in them: ${paths}`,
  ];
}

function isTaken({ type }: UserServer, { mcpHttp, mcpSse }: Capabilities): boolean {
  switch (type) {
    case "stdio":
      return true;
    case "http":
      return mcpHttp;
    case "sse":
      return mcpSse;
    default:
      return type satisfies never;
  }
}

/** Without a process of its own, if the agent takes addresses. */
function toToolServer(server: ToolServer, { mcpHttp }: Capabilities): McpServer {
  const { name, command, args, env, address } = server;
  return mcpHttp && address !== undefined
    ? toMcpServer({ type: "http", name, ...address })
    : toMcpServer({ type: "stdio", name, command, args, env });
}

function toMcpServer(server: UserServer): McpServer {
  const { name } = server;
  if (server.type === "stdio") {
    const { command, args, env } = server;
    return { name, command, args: [...args], env: pairs(env) };
  }
  return { type: server.type, name, url: server.url, headers: pairs(server.headers) };
}

function pairs(texts: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(texts).map(([name, value]) => ({ name, value }));
}
