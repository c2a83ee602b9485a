import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { AnswerMcp } from "../../http/wire/answer-mcp.ts";
import { toApiReply, type AgentApi } from "./agent-api.ts";
import { createToolServer } from "./create-tool-server.ts";

/**
 * Answers one message of MCP over HTTP. It keeps nothing between two messages: each of them carries the key of its
 * session, and the tools act on the stored session.
 */
export const answerMcp: AnswerMcp = async ({ headers, body, call }) => {
  const api = apiOf(call);
  const createServer = (): Promise<McpServer> => createToolServer(api);
  const request = new Request("http://holdfast/mcp", { method: "POST", headers });
  if (!(await isLegacyRequest(request, body))) {
    const handler = createMcpHandler(createServer, { legacy: "reject", responseMode: "json" });
    return handler.fetch(request, { parsedBody: body });
  }
  const server = await createServer();
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
};

function apiOf(call: Parameters<AnswerMcp>[0]["call"]): AgentApi {
  return {
    get: async (where, query) => {
      const parameters = new URLSearchParams();
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) parameters.set(name, String(value));
      return toApiReply(await call({ method: "GET", path: `${where}?${parameters.toString()}` }));
    },
    post: async (where, body) => toApiReply(await call({ method: "POST", path: where, body })),
  };
}
