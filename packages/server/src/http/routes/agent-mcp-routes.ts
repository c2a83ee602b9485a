import { agentMcpMessageSchema, sessionParamsSchema } from "@holdfast/protocol";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import type { App, AppServices } from "../app.ts";
import { toProblem } from "../problems/problem-status.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendProblem } from "../problems/send-problem.ts";

const CONFIG = { isForAgents: true };
const ON_SESSION = {
  tags: ["agent tools"],
  params: () => sessionParamsSchema,
  security: [{ agentToken: [] }],
};
/** The status and body are those of MCP. */
async function sendResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  return reply
    .code(response.status)
    .type(response.headers.get("content-type") ?? "application/json")
    .serializer(String)
    .send(await response.text());
}

/** The headers of MCP. */
const PASSED = [
  "accept",
  "content-type",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
] as const;

/** The tools of an agent as an MCP server over HTTP, so that the agent need not start a program for them. */
export function addAgentMcpRoutes(app: App, { answerMcp }: Pick<AppServices, "answerMcp">): void {
  app.route({
    method: "POST",
    url: "/api/agent/sessions/:id/mcp",
    config: CONFIG,
    schema: {
      ...ON_SESSION,
      operationId: "agentMcp",
      summary: "Use the tools of the session's agent over MCP (streamable HTTP)",
      body: () => agentMcpMessageSchema,
      response: { 200: () => z.unknown(), ...writeProblems("not_found") },
    },
    handler: async (request, reply) => {
      if (answerMcp === undefined)
        return sendProblem(reply, toProblem("not_found", "This server has no MCP server."));
      const { params, headers, body } = request;
      const { authorization = "" } = headers;
      const folder = `/api/agent/sessions/${encodeURIComponent(params.id)}`;
      const response = await answerMcp({
        headers: Object.fromEntries(
          PASSED.flatMap((name) => {
            const value = headers[name];
            return typeof value === "string" ? [[name, value]] : [];
          }),
        ),
        body,
        call: async ({ method, path, body: payload }) => {
          const answer = await app.inject({
            method,
            url: `${folder}/${path}`,
            headers: { authorization, host: "localhost" },
            ...(payload !== undefined && { payload }),
          });
          return { status: answer.statusCode, body: answer.json() };
        },
      });
      return sendResponse(reply, response);
    },
  });

  // A client of MCP asks for a stream and ends its session. There is neither, which is not a failure.
  app.route({
    method: ["GET", "DELETE"],
    url: "/api/agent/sessions/:id/mcp",
    config: CONFIG,
    schema: { ...ON_SESSION, hide: true, response: readProblems("method_not_allowed") },
    handler: async (_request, reply) =>
      sendProblem(
        reply.header("allow", "POST"),
        toProblem("method_not_allowed", "These tools send no events and keep no session."),
      ),
  });
}
