import type { McpServer } from "@agentclientprotocol/sdk/unstable";
import type { McpServers } from "@holdfast/protocol";
import { invalidParams } from "./rpc-error.ts";

/** The editor's MCP servers by name. Agents accept fewer names than editors do. */
export function mcpServersOf(servers: readonly McpServer[]): McpServers {
  const named: Record<string, McpServers[string]> = {};
  for (const server of servers) named[freeName(server.name, named)] = toServer(server);
  return named;
}

function toServer(server: McpServer): McpServers[string] {
  if (!("type" in server)) {
    const { command, args, env } = server;
    return { command, args, env: tableOf(env) };
  }
  switch (server.type) {
    case "http":
    case "sse":
      return { type: server.type, url: server.url, headers: tableOf(server.headers) };
    case "acp":
      throw invalidParams(
        `The MCP server ${JSON.stringify(server.name)} runs in the editor. Holdfast takes servers of the types stdio, http and sse.`,
      );
    default:
      return server satisfies never;
  }
}

function tableOf(
  entries: readonly { readonly name: string; readonly value: string }[],
): Record<string, string> {
  return Object.fromEntries(entries.map(({ name, value }) => [name, value]));
}

const MAX_LENGTH = 32;

function freeName(name: string, taken: Readonly<Record<string, unknown>>): string {
  const words = name.replace(/[^A-Za-z0-9]+/gu, "-").replace(/^[^A-Za-z]+|-+$/gu, "");
  const base = words === "" || words === "holdfast" ? `server-${words || "1"}` : words;
  for (let number = 1; ; number++) {
    const end = number === 1 ? "" : `-${number}`;
    const free = base.slice(0, MAX_LENGTH - end.length) + end;
    if (!Object.hasOwn(taken, free)) return free;
  }
}
