import { McpServer } from "@modelcontextprotocol/server";
import { VERSION } from "../version.ts";
import type { AgentApi } from "./agent-api.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { addTools } from "./tools.ts";
import { addWorkTools, workToolsOf } from "./work-tools.ts";

/** The MCP server with the tools of an agent, over stdio and HTTP alike. */
export async function createToolServer(api: AgentApi): Promise<McpServer> {
  const server = new McpServer(
    { name: "holdfast", version: VERSION },
    { instructions: INSTRUCTIONS },
  );
  addTools(server, api);
  addWorkTools(server, api, await workToolsOf(api));
  return server;
}
