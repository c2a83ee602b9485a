import path from "node:path";
import type { McpServer, McpServers } from "../../../domain/mcp-server.ts";
import { localIn } from "../../network/agent-network.ts";
import {
  allowsHost,
  isLoopback,
  normalHost,
  rulesOf,
  type NetworkPolicy,
} from "../../network/network-policy.ts";
import { secretsOfOwn, type Variables } from "../../secrets/secret-values.ts";
import { findProgram } from "../process/find-program.ts";

/** An MCP server of the user with the values of its variables, many of which are secrets. */
export type UserServer =
  | {
      readonly type: "stdio";
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly type: "http" | "sse";
      readonly name: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

export interface UserServers {
  readonly servers: readonly UserServer[];
  /** Sentences about the servers that the agent does not get. */
  readonly notices: readonly string[];
}

export interface FindUserServers {
  /** Of the provider. They are written by the operator and may use every variable. */
  readonly configured: McpServers;
  /** Of the session. They replace those of the provider with the same name. */
  readonly own: McpServers;
  /** The variables of the server that a session may use. */
  readonly allowed: readonly string[];
  /** The server's own environment. */
  readonly environment: Variables;
  /** The search path of the agent. */
  readonly searchPath: string | undefined;
  readonly workspace: string;
  /** The network of the agent; null if it is not enforced. */
  readonly network: NetworkPolicy | null;
}

/** Reads the variables of the MCP servers and finds their programs. The result is for one start of an agent. */
export function findUserServers(options: FindUserServers): UserServers {
  const { configured, own, allowed } = options;
  const servers: UserServer[] = [];
  const notices: string[] = [];
  for (const [name, server] of Object.entries({ ...configured, ...own })) {
    const mayUse = (variable: string): boolean =>
      !Object.hasOwn(own, name) || allowed.includes(variable);
    const found = findServer(name, server, { ...options, mayUse });
    if (typeof found === "string") notices.push(`The MCP server ${name} is left out: ${found}`);
    else servers.push(found);
  }
  return { servers, notices };
}

type Rules = FindUserServers & { readonly mayUse: (variable: string) => boolean };

/** A sentence that says why, if the agent cannot have it. */
function findServer(name: string, server: McpServer, rules: Rules): UserServer | string {
  const { searchPath, workspace } = rules;
  if (server.type === "stdio") {
    const values = readVariables(server.envFrom, rules);
    if (typeof values === "string") return values;
    const { command, args, env } = server;
    const named = command.includes("/") ? path.resolve(workspace, command) : command;
    const program = findProgram(named, searchPath);
    if (program === null) return `the program ${command} was not found.`;
    return { type: "stdio", name, command: program, args, env: { ...env, ...values } };
  }
  const values = readVariables(server.headersFrom, rules);
  if (typeof values === "string") return values;
  const { type, url, headers } = server;
  const obstacle = networkObstacle(url, rules.network);
  return obstacle ?? { type, name, url, headers: { ...headers, ...values } };
}

/** The values by the names in the table, or a sentence about a variable that cannot be used. */
function readVariables(
  table: Readonly<Record<string, string>>,
  { environment, mayUse }: Rules,
): Readonly<Record<string, string>> | string {
  const values: [string, string][] = [];
  for (const [name, variable] of Object.entries(table)) {
    if (!mayUse(variable)) return `the variable ${variable} is not in "mcpVariables".`;
    const value = environment[variable] ?? "";
    if (value === "") return `the variable ${variable} is not set on this server.`;
    values.push([name, value]);
  }
  return Object.fromEntries(values);
}

/** A sentence that says why the agent cannot reach the address; null if nothing is known against it. */
function networkObstacle(url: string, network: NetworkPolicy | null): string | null {
  if (network === null || network === "shared") return null;
  const { hostname, port, protocol } = new URL(url);
  const host = normalHost(hostname);
  if (network === "off") return "the network of this agent is off.";
  if (isLoopback(host))
    return localIn({ url }).length > 0
      ? null
      : `an agent in a sandbox reaches ports of this machine from 1024 on only.`;
  const target = { host, port: Number(port || (protocol === "https:" ? 443 : 80)) };
  return allowsHost(rulesOf(network), target)
    ? null
    : `the network of this agent does not allow ${host}.`;
}

/** The addresses of services, as variables of the agent would name them. */
export function addressesOf(servers: readonly UserServer[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    servers.flatMap((server) => (server.type === "stdio" ? [] : [[server.name, server.url]])),
  );
}

/** The secrets among the values of a server that the agent gets. */
export function secretsOfServer(server: UserServer): readonly string[] {
  return server.type === "stdio" ? secretsOfOwn(server.env) : secretsOfOwn(server.headers);
}

/** The secrets in variables of the server that MCP servers use. Their own names do not matter. */
export function secretsOfVariables(
  names: readonly string[],
  environment: Variables,
): readonly string[] {
  return names.flatMap((name) => secretsOfOwn({ SECRET: environment[name] }));
}
