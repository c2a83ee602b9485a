import {
  messagesQuerySchema,
  messagesReplySchema,
  promptRequestSchema,
  sendMessageReplySchema,
  sendMessageRequestSchema,
  sessionParamsSchema,
} from "@holdfast/protocol";
import type { App, AppServices } from "../app.ts";
import { fromWireContent, fromWireTime } from "../wire/from-wire.ts";
import { idempotencyOf, idempotencySchema } from "../wire/preconditions.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { toWireMessage, toWireSent } from "../wire/to-wire.ts";

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
        "It is stored before the reply, and worked on afterwards. To a busy session it is queued, " +
        "refused (`reject`) or put in place of the run (`interrupt`), as `delivery` says.",
      tags: TAGS,
      params: sessionParamsSchema,
      headers: idempotencySchema,
      body: sendMessageRequestSchema,
      response: SENT,
    },
    handler: async (request, reply) => {
      const { params, body } = request;
      const result = await runtime.sendMessage({
        sessionId: params.id,
        content: fromWireContent(body),
        provider: body.provider ?? body.provider_id ?? null,
        model: body.model ?? null,
        delivery: body.delivery,
        continuity: body.continuity,
        idempotency: idempotencyOf(request),
      });
      if (!result.ok) return sendRefusal(reply, result);
      return reply.code(202).send(toWireSent(result.sent));
    },
  });

  app.route({
    method: "POST",
    url: "/api/sessions/:id/prompt",
    schema: {
      operationId: "sendPrompt",
      summary: "Send a text, by another name",
      tags: TAGS,
      params: sessionParamsSchema,
      headers: idempotencySchema,
      body: promptRequestSchema,
      response: SENT,
    },
    handler: async (request, reply) => {
      const result = await runtime.sendMessage({
        sessionId: request.params.id,
        content: fromWireContent(request.body),
        provider: null,
        model: null,
        delivery: "queue",
        continuity: "auto",
        idempotency: idempotencyOf(request),
      });
      if (!result.ok) return sendRefusal(reply, result);
      return reply.code(202).send(toWireSent(result.sent));
    },
  });

  app.route({
    method: "GET",
    url: "/api/sessions/:id/messages",
    schema: {
      operationId: "listMessages",
      summary: "Messages in order, since a time or after a cursor",
      description:
        "Go on with `after=nextAfter`: it neither skips nor repeats, and stays before a message that " +
        "can still change, which is therefore read again.",
      tags: TAGS,
      params: sessionParamsSchema,
      querystring: messagesQuerySchema,
      response: { 200: messagesReplySchema, ...readProblems("session_not_found") },
    },
    handler: async ({ params, query: { after, since, limit } }, reply) => {
      const page = await runtime.readMessages({
        sessionId: params.id,
        limit,
        ...(after !== undefined && { after }),
        ...(since !== undefined && { since: fromWireTime(since) }),
      });
      if (!page.ok) return sendRefusal(reply, page);
      const { messages, nextAfter } = page;
      return reply.code(200).send({ messages: messages.map(toWireMessage), nextAfter });
    },
  });
}
