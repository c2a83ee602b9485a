import {
  agentEventRequestSchema,
  agentHistoryQuerySchema,
  agentHistorySchema,
  agentPhaseRequestSchema,
  agentQuestionRequestSchema,
  openSuspensionSchema,
  sessionParamsSchema,
  sessionSchema,
} from "@holdfast/protocol";
import type { App, AppServices } from "../app.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { sendSession } from "../wire/send-session.ts";
import { toTime } from "../wire/to-time.ts";
import { toWireOpenSuspension } from "../wire/to-wire.ts";

const CONFIG = { isForAgents: true };
const ON_SESSION = {
  tags: ["agent tools"],
  params: sessionParamsSchema,
  security: [{ agentToken: [] }],
};
const ASKED = {
  200: openSuspensionSchema,
  ...writeProblems(
    "run_not_current",
    "session_archived",
    "session_failed",
    "session_not_found",
    "suspensions_full",
  ),
};
const MINUTE_MS = 60_000;

/** What the tools of a session's agent call, with the token of that session. */
export function addAgentRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "POST",
    url: "/api/agent/sessions/:id/phase",
    config: CONFIG,
    schema: {
      ...ON_SESSION,
      operationId: "agentSetPhase",
      summary: "Say what kind of work the agent is doing",
      body: agentPhaseRequestSchema,
      response: {
        200: sessionSchema,
        ...writeProblems("phase_final", "session_archived", "session_failed", "session_not_found"),
      },
    },
    handler: async ({ params, body: { phase } }, reply) =>
      sendSession(reply, await runtime.updateSession({ sessionId: params.id, changes: {}, phase })),
  });

  app.route({
    method: "POST",
    url: "/api/agent/sessions/:id/questions",
    config: CONFIG,
    schema: {
      ...ON_SESSION,
      operationId: "agentAskHuman",
      summary: "Ask a person",
      description:
        "The session's current run is suspended until somebody answers. The same question, while it " +
        "is open, is not asked again.",
      body: agentQuestionRequestSchema,
      response: ASKED,
    },
    handler: async ({ params, body: { question, options } }, reply) => {
      const asked = await runtime.askFromAgent({
        sessionId: params.id,
        kind: "question",
        request: { title: question, ...(options !== undefined && { options }) },
        expiresInMs: null,
      });
      if (!asked.ok) return sendRefusal(reply, asked);
      return reply.code(200).send(toWireOpenSuspension(asked.suspension));
    },
  });

  app.route({
    method: "POST",
    url: "/api/agent/sessions/:id/events",
    config: CONFIG,
    schema: {
      ...ON_SESSION,
      operationId: "agentWaitForEvent",
      summary: "Wait for something outside",
      description:
        "The session's current run is suspended until somebody reports the event, or its time is up.",
      body: agentEventRequestSchema,
      response: ASKED,
    },
    handler: async ({ params, body }, reply) => {
      const { name, description, expiresInMinutes } = body;
      const asked = await runtime.askFromAgent({
        sessionId: params.id,
        kind: "event",
        request: { title: name, ...(description !== undefined && { description }) },
        expiresInMs: expiresInMinutes === undefined ? null : expiresInMinutes * MINUTE_MS,
      });
      if (!asked.ok) return sendRefusal(reply, asked);
      return reply.code(200).send(toWireOpenSuspension(asked.suspension));
    },
  });

  app.route({
    method: "GET",
    url: "/api/agent/sessions/:id/history",
    config: CONFIG,
    schema: {
      ...ON_SESSION,
      operationId: "agentReadHistory",
      summary: "What was said in the session, in words and bounded",
      querystring: agentHistoryQuerySchema,
      response: { 200: agentHistorySchema, ...readProblems("session_not_found") },
    },
    handler: async ({ params, query: { limit, after = null, search = null } }, reply) => {
      const history = await runtime.readHistory({ sessionId: params.id, limit, after, search });
      if (!history.ok) return sendRefusal(reply, history);
      const { messages, leftOut } = history;
      return reply.code(200).send({
        messages: messages.map(({ at, ...entry }) => ({ ...entry, timestamp: toTime(at) })),
        leftOut,
      });
    },
  });
}
