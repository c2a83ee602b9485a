import {
  agentEventRequestSchema,
  agentPhaseRequestSchema,
  agentQuestionRequestSchema,
  agentWorkReplySchema,
  agentWorkRequestSchema,
  agentWorkToolsSchema,
  historyQuerySchema,
  historySchema,
  openSuspensionSchema,
  sessionParamsSchema,
  sessionSchema,
} from "@holdfast/protocol";
import type { FastifyReply } from "fastify";
import { defined } from "../../domain/defined.ts";
import type { AskFromAgent } from "../../runtime/runtime.ts";
import type { App, AppServices } from "../app.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendReply, sendSession } from "../wire/send-reply.ts";
import { toWorkCall } from "../wire/work-wire.ts";
import { toWireHistory } from "../wire/run-wire.ts";
import { toWireOpenSuspension } from "../wire/to-wire.ts";

const CONFIG = { isForAgents: true };
const ON_SESSION = {
  tags: ["agent tools"],
  params: () => sessionParamsSchema,
  security: [{ agentToken: [] }],
};
const SUSPENDED = {
  200: () => openSuspensionSchema,
  ...writeProblems(
    "run_not_current",
    "session_archived",
    "session_failed",
    "session_not_found",
    "suspensions_full",
  ),
};
const WORK_PROBLEMS = writeProblems(
  "git_failed",
  "hook_failed",
  "merge_conflicts",
  "not_committed",
  "nothing_to_commit",
  "permission_denied",
  "pull_request_failed",
  "push_failed",
  "remote_required",
  "repository_required",
  "run_not_current",
  "session_not_found",
  "suspensions_full",
  "tool_not_given",
  "worktree_required",
);
const MINUTE_MS = 60_000;

/** Routes for the tools of an agent. They need the agent token of the session. */
export function addAgentRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  const suspend = async (reply: FastifyReply, request: AskFromAgent): Promise<FastifyReply> =>
    sendReply(reply, await runtime.askFromAgent(request), ({ suspension }) =>
      toWireOpenSuspension(suspension),
    );

  app.route({
    method: "POST",
    url: "/api/agent/sessions/:id/phase",
    config: CONFIG,
    schema: {
      ...ON_SESSION,
      operationId: "agentSetPhase",
      summary: "Set the phase of the session",
      body: () => agentPhaseRequestSchema,
      response: {
        200: () => sessionSchema,
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
        "Suspends the current run until a person answers. Asking an open question again changes nothing.",
      body: () => agentQuestionRequestSchema,
      response: SUSPENDED,
    },
    handler: async ({ params, body: { question, options } }, reply) =>
      suspend(reply, {
        sessionId: params.id,
        kind: "question",
        request: defined({ title: question, options }),
        expiresInMs: null,
      }),
  });

  app.route({
    method: "POST",
    url: "/api/agent/sessions/:id/events",
    config: CONFIG,
    schema: {
      ...ON_SESSION,
      operationId: "agentWaitForEvent",
      summary: "Wait for an external event",
      description: "Suspends the current run until the event is reported or the wait expires.",
      body: () => agentEventRequestSchema,
      response: SUSPENDED,
    },
    handler: async ({ params, body: { name, description, expiresInMinutes } }, reply) =>
      suspend(reply, {
        sessionId: params.id,
        kind: "event",
        request: defined({ title: name, description }),
        expiresInMs: expiresInMinutes === undefined ? null : expiresInMinutes * MINUTE_MS,
      }),
  });

  app.route({
    method: "GET",
    url: "/api/agent/sessions/:id/work",
    config: CONFIG,
    schema: {
      ...ON_SESSION,
      operationId: "agentListWorkTools",
      summary: "List the tools with which the agent can keep its work",
      response: { 200: () => agentWorkToolsSchema, ...readProblems("session_not_found") },
    },
    handler: async ({ params }, reply) =>
      sendReply(reply, await runtime.agentWork.tools(params.id), ({ tools }) => ({
        tools: [...tools],
      })),
  });

  app.route({
    method: "POST",
    url: "/api/agent/sessions/:id/work",
    config: CONFIG,
    schema: {
      ...ON_SESSION,
      operationId: "agentUseWorkTool",
      summary: "Commit, rebase, merge, push, or open a pull request",
      description:
        "Suspends the current run if a person has to allow it. The agent calls again when it is allowed.",
      body: () => agentWorkRequestSchema,
      response: { 200: () => agentWorkReplySchema, ...WORK_PROBLEMS },
    },
    handler: async ({ params, body }, reply) =>
      sendReply(
        reply,
        await runtime.agentWork.use(params.id, toWorkCall(body)),
        ({ isDone, text }) => ({ isDone, text }),
      ),
  });

  app.route({
    method: "GET",
    url: "/api/agent/sessions/:id/history",
    config: CONFIG,
    schema: {
      ...ON_SESSION,
      operationId: "agentReadHistory",
      summary: "Read earlier messages of the session as text",
      querystring: () => historyQuerySchema,
      response: { 200: () => historySchema, ...readProblems("session_not_found") },
    },
    handler: async ({ params, query: { limit, after = null, search = null } }, reply) => {
      const history = await runtime.readHistory({ sessionId: params.id, limit, after, search });
      return sendReply(reply, history, toWireHistory);
    },
  });
}
