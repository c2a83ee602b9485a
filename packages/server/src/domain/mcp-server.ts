import { isObject, type Json } from "./json.ts";

/** An MCP server of the user, which agents get besides Holdfast's own tools. */
export type McpServer = McpProgram | McpAddress;

/** A program that the agent starts and talks to over stdio. */
export type McpProgram = {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Texts;
  /** Variables of the program, and the variables of the server that hold their values. */
  readonly envFrom: Texts;
};

/** A server that the agent reaches over the network. */
export type McpAddress = {
  readonly type: "http" | "sse";
  readonly url: string;
  readonly headers: Texts;
  /** Headers, and the variables of the server that hold their values. */
  readonly headersFrom: Texts;
};

type Texts = Readonly<Record<string, string>>;

/** By name. */
export type McpServers = Readonly<Record<string, McpServer>>;

/** The user's MCP servers and further directories of a session. */
export interface Connections {
  readonly mcpServers: McpServers;
  /** Real paths. Agents work in them besides the repository. */
  readonly directories: readonly string[];
}

export const NO_CONNECTIONS: Connections = { mcpServers: {}, directories: [] };

/** Only those connections that there are. */
export function presentConnections({
  mcpServers = {},
  directories = [],
}: Partial<Connections>): Partial<Connections> {
  return {
    ...(Object.keys(mcpServers).length > 0 && { mcpServers }),
    ...(directories.length > 0 && { directories }),
  };
}

/** An MCP server as people write it: everything that may be empty can be missing. */
export type WrittenMcpServer =
  | (Optional<Omit<McpProgram, "command" | "type">> & {
      readonly type?: "stdio" | undefined;
      readonly command: string;
    })
  | (Optional<Omit<McpAddress, "url" | "type">> & Pick<McpAddress, "url" | "type">);

type Optional<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

/** Fills in what is missing, so that equal servers are stored equally. */
export function completeMcpServers(
  servers: Readonly<Record<string, WrittenMcpServer>>,
): McpServers {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]): [string, McpServer] => {
      if (!("command" in server)) {
        const { type, url, headers = {}, headersFrom = {} } = server;
        return [name, { type, url, headers, headersFrom }];
      }
      const { type = "stdio", command, args = [], env = {}, envFrom = {} } = server;
      return [name, { type, command, args, env, envFrom }];
    }),
  );
}

/** The variables of the server that the MCP server needs. */
export function variablesOf(server: McpServer): readonly string[] {
  return Object.values(server.type === "stdio" ? server.envFrom : server.headersFrom);
}

/** Reads stored MCP servers. Null if the value is something else. */
export function parseMcpServers(value: Json): McpServers | null {
  if (!isObject(value)) return null;
  const servers: [string, McpServer][] = [];
  for (const [name, entry] of Object.entries(value)) {
    const server = parseMcpServer(entry);
    if (server === null) return null;
    servers.push([name, server]);
  }
  return Object.fromEntries(servers);
}

function parseMcpServer(value: Json): McpServer | null {
  if (!isObject(value)) return null;
  const { type, command, args = [], url } = value;
  if (type === "stdio") {
    const [list, env, envFrom] = [toList(args), toTexts(value["env"]), toTexts(value["envFrom"])];
    if (typeof command !== "string" || list === null || env === null || envFrom === null)
      return null;
    return { type, command, args: list, env, envFrom };
  }
  const [headers, headersFrom] = [toTexts(value["headers"]), toTexts(value["headersFrom"])];
  if (type !== "http" && type !== "sse") return null;
  if (typeof url !== "string" || headers === null || headersFrom === null) return null;
  return { type, url, headers, headersFrom };
}

/** Reads stored directories. Null if the value is something else. */
export function parseDirectories(value: Json): readonly string[] | null {
  return toList(value);
}

function toList(value: Json): readonly string[] | null {
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : null;
}

function toTexts(value: Json = {}): Texts | null {
  if (!isObject(value)) return null;
  const entries: [string, string][] = [];
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== "string") return null;
    entries.push([name, text]);
  }
  return Object.fromEntries(entries);
}
