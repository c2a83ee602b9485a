import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Readable, Writable } from "node:stream";
import { CommandFailure, EXIT } from "../exit.ts";
import { VERSION } from "../version.ts";
import { TOKEN_VARIABLE, URL_VARIABLE } from "./agent-tools.ts";
import { createAgentApi, type AgentApi } from "./agent-api.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { addTools } from "./tools.ts";
import { addWorkTools, workToolsOf } from "./work-tools.ts";

export interface ToolServerProcess {
  /** Resolves when the agent has closed the pipe. */
  readonly closed: Promise<void>;
}

/** Serves MCP on the streams until they end, for the session that the environment names. */
export async function openToolServer(
  environment: Readonly<Record<string, string | undefined>>,
  { stdin, stdout }: { readonly stdin: Readable; readonly stdout: Writable },
): Promise<ToolServerProcess> {
  const api = apiFrom(environment);
  const server = new McpServer(
    { name: "holdfast", version: VERSION },
    { instructions: INSTRUCTIONS },
  );
  addTools(server, api);
  addWorkTools(server, api, await workToolsOf(api));
  const closed = new Promise<void>((resolve) => {
    stdin.once("end", resolve);
    stdin.once("close", resolve);
    stdout.once("error", () => resolve());
  });
  await server.connect(new StdioServerTransport(stdin, stdout));
  return { closed: closed.then(() => server.close()) };
}

function apiFrom(environment: Readonly<Record<string, string | undefined>>): AgentApi {
  const { [URL_VARIABLE]: url, [TOKEN_VARIABLE]: token } = environment;
  if (url !== undefined && token !== undefined) return createAgentApi(url, token);
  throw new CommandFailure(
    `holdfast mcp is started by agents: it needs ${URL_VARIABLE} and ${TOKEN_VARIABLE}.`,
    EXIT.usage,
  );
}
