import {
  messagesQuerySchema,
  messagesReplySchema,
  promptRequestSchema,
  runsQuerySchema,
  runsReplySchema,
  sendMessageReplySchema,
  sendMessageRequestSchema,
  sessionParamsSchema,
  type MessagesReply,
} from "@holdfast/protocol";
import { defined } from "../../domain/defined.ts";
import type { SendMessage } from "../../runtime/runtime.ts";
import type { App, AppServices } from "../app.ts";
import {
  fromCursor,
  fromWireContent,
  fromWireSettings,
  fromWireTime,
  type WireContent,
} from "../wire/from-wire.ts";
import { idempotencyOf, idempotencySchema } from "../wire/preconditions.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendReply } from "../wire/send-reply.ts";
import { toWireDecision, toWireMessage, toWireRuns, toWireSent } from "../wire/to-wire.ts";

const TAGS = ["messages"];
const SENT = {
  202: sendMessageReplySchema,
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
      params: sessionParamsSchema,
      headers: idempotencySchema,
      body: sendMessageRequestSchema,
      response: SENT,
    },
    handler: async (request, reply) => {
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
      params: sessionParamsSchema,
      headers: idempotencySchema,
      body: promptRequestSchema,
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
      params: sessionParamsSchema,
      querystring: messagesQuerySchema,
      response: { 200: messagesReplySchema, ...readProblems("session_not_found") },
    },
    handler: async ({ params, query: { after, before, since, limit } }, reply) => {
      const page = await runtime.readMessages({
        sessionId: params.id,
        limit,
        ...defined({ after, before, since: fromWireTime(since) }),
      });
      return sendReply(reply, page, ({ messages, decisions, nextAfter }): MessagesReply => ({
        messages: messages.map(toWireMessage),
        decisions: decisions.map(toWireDecision),
        nextAfter,
      }));
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
      params: sessionParamsSchema,
      querystring: runsQuerySchema,
      response: { 200: runsReplySchema, ...readProblems("session_not_found") },
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
