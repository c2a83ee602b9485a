import {
  historyQuerySchema,
  historySchema,
  messagesQuerySchema,
  messagesReplySchema,
  promptRequestSchema,
  runParamsSchema,
  runsQuerySchema,
  runsReplySchema,
  sendMessageReplySchema,
  sendMessageRequestSchema,
  sessionParamsSchema,
  wholeRunSchema,
} from "@holdfast/protocol";
import { defined } from "../../domain/defined.ts";
import type { SendMessage } from "../../runtime/runtime.ts";
import type { App, AppServices } from "../app.ts";
import { aboutMessage } from "../guard/body-scope.ts";
import {
  fromCursor,
  fromWireContent,
  fromWireSettings,
  fromWireTime,
  type WireContent,
} from "../wire/from-wire.ts";
import { idempotencyOf, idempotencySchema } from "../wire/preconditions.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendProblem, sendRefusal } from "../problems/send-problem.ts";
import { MESSAGE_JSON, messagePageJson, sendJson } from "../wire/message-json.ts";
import { sendReply } from "../wire/send-reply.ts";
import { toWireHistory, toWireRuns, toWireWholeRun } from "../wire/run-wire.ts";
import { toWireSent } from "../wire/to-wire.ts";

const TAGS = ["messages"];
const SENT = {
  202: () => sendMessageReplySchema,
  ...writeProblems(
    "agent_not_installed",
    "agents_busy",
    "delivery_held",
    "delivery_rejected",
    "idempotency_key_reused",
    "path_not_found",
    "path_outside_root",
    "provider_unknown",
    "queue_full",
    "repository_required",
    "session_archived",
    "session_busy",
    "session_failed",
    "session_not_found",
    "setting_not_offered",
  ),
};

export function addMessageRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "POST",
    url: "/api/sessions/:id/messages",
    schema: {
      operationId: "sendMessage",
      summary: "Send a message",
      description:
        "The message is stored before the reply is sent. If the session is busy, `delivery` decides: " +
        "the message waits (`queue`), is refused (`reject`) or cancels the current run (`interrupt`).",
      tags: TAGS,
      params: () => sessionParamsSchema,
      headers: () => idempotencySchema,
      body: () => sendMessageRequestSchema,
      response: SENT,
    },
    handler: async (request, reply) => {
      const problem = aboutMessage(request);
      if (problem !== null) return sendProblem(reply, problem);
      const { provider, provider_id: alias, model = null, delivery, continuity } = request.body;
      const result = await runtime.sendMessage({
        ...messageOf(request),
        provider: provider ?? alias ?? null,
        model,
        delivery,
        continuity,
        ...defined({ settings: fromWireSettings(request.body) }),
      });
      return sendReply(reply, result, ({ sent }) => toWireSent(sent), 202);
    },
  });

  app.route({
    method: "POST",
    url: "/api/sessions/:id/prompt",
    schema: {
      operationId: "sendPrompt",
      summary: "Send a text message",
      tags: TAGS,
      params: () => sessionParamsSchema,
      headers: () => idempotencySchema,
      body: () => promptRequestSchema,
      response: SENT,
    },
    handler: async (request, reply) => {
      const result = await runtime.sendMessage({
        ...messageOf(request),
        provider: null,
        model: null,
        delivery: "queue",
        continuity: "auto",
      });
      return sendReply(reply, result, ({ sent }) => toWireSent(sent), 202);
    },
  });

  app.route({
    method: "GET",
    url: "/api/sessions/:id/messages",
    schema: {
      operationId: "listMessages",
      summary: "List messages, in order",
      description:
        "To get the next page, pass `nextAfter` as `after`. A message that can still change is returned " +
        "again on the next page.",
      tags: TAGS,
      params: () => sessionParamsSchema,
      querystring: () => messagesQuerySchema,
      response: { 200: () => messagesReplySchema, ...readProblems("session_not_found") },
    },
    handler: async ({ params, query: { after, before, since, limit } }, reply) => {
      const page = await runtime.readMessages({
        sessionId: params.id,
        limit,
        format: MESSAGE_JSON,
        ...defined({ after, before, since: fromWireTime(since) }),
      });
      return page.ok ? sendJson(reply, messagePageJson(page)) : sendRefusal(reply, page);
    },
  });

  app.route({
    method: "GET",
    url: "/api/sessions/:id/history",
    schema: {
      operationId: "readHistory",
      summary: "Read messages as bounded text, for programs that give them to a model",
      description:
        "The newest messages, those after a seq, or those that contain a text: at most 28 KiB of text, at most 4,000 " +
        "characters of each message. Thoughts are left out.",
      tags: TAGS,
      params: () => sessionParamsSchema,
      querystring: () => historyQuerySchema,
      response: { 200: () => historySchema, ...readProblems("session_not_found") },
    },
    handler: async ({ params, query: { limit, after = null, search = null } }, reply) => {
      const history = await runtime.readHistory({ sessionId: params.id, limit, after, search });
      return sendReply(reply, history, toWireHistory);
    },
  });

  app.route({
    method: "GET",
    url: "/api/sessions/:id/runs",
    schema: {
      operationId: "listRuns",
      summary: "List the runs of a session with their suspensions",
      description:
        "In the order in which they were requested, with outcome, provider, model, memory, attempts, " +
        "usage and times. To get the next page, pass `nextCursor` as `cursor`.",
      tags: ["sessions"],
      params: () => sessionParamsSchema,
      querystring: () => runsQuerySchema,
      response: { 200: () => runsReplySchema, ...readProblems("session_not_found") },
    },
    handler: async ({ params, query: { limit, cursor, status } }, reply) => {
      const after = cursor === undefined ? undefined : fromCursor(cursor);
      const page = await runtime.readRuns({
        sessionId: params.id,
        limit,
        ...defined({ after, statuses: status }),
      });
      return sendReply(reply, page, toWireRuns);
    },
  });

  app.route({
    method: "GET",
    url: "/api/sessions/:id/runs/:runId",
    schema: {
      operationId: "getRun",
      summary: "Read a run with the answer of its agent",
      tags: ["sessions"],
      params: () => runParamsSchema,
      response: {
        200: () => wholeRunSchema,
        ...readProblems("run_not_found", "session_not_found"),
      },
    },
    handler: async ({ params: { id: sessionId, runId } }, reply) =>
      sendReply(reply, await runtime.readRun({ sessionId, runId }), ({ run }) =>
        toWireWholeRun(run),
      ),
  });
}

function messageOf(
  request: Parameters<typeof idempotencyOf>[0] & {
    readonly params: { readonly id: string };
    readonly body: WireContent;
  },
): Pick<SendMessage, "sessionId" | "content" | "idempotency"> {
  return {
    sessionId: request.params.id,
    content: fromWireContent(request.body),
    idempotency: idempotencyOf(request),
  };
}
