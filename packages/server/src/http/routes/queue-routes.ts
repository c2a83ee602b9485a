import {
  editQueuedRequestSchema,
  queuedMessageParamsSchema,
  queueReplySchema,
  sessionParamsSchema,
} from "@holdfast/protocol";
import type { FastifyReply } from "fastify";
import type { QueuedMessage } from "../../runtime/runtime.ts";
import type { Reply } from "../../runtime/reply.ts";
import type { App, AppServices } from "../app.ts";
import { fromWireContent } from "../wire/from-wire.ts";
import { ifMatchSchema, onSession } from "../wire/preconditions.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { toWireQueue } from "../wire/to-wire.ts";

const TAGS = ["queue"];
const CHANGED = {
  200: queueReplySchema,
  ...writeProblems(
    "message_not_found",
    "message_not_queued",
    "session_archived",
    "session_failed",
    "session_not_found",
    "version_mismatch",
  ),
};

export function addQueueRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "GET",
    url: "/api/sessions/:id/queue",
    schema: {
      operationId: "getQueue",
      summary: "Messages accepted and not yet given to an agent",
      tags: TAGS,
      params: sessionParamsSchema,
      response: { 200: queueReplySchema, ...readProblems("session_not_found") },
    },
    handler: async ({ params }, reply) => sendQueue(reply, await runtime.readQueue(params.id)),
  });

  app.route({
    method: "PATCH",
    url: "/api/sessions/:id/queue/:messageId",
    schema: {
      operationId: "editQueuedMessage",
      summary: "Say a queued message differently, or move it",
      tags: TAGS,
      params: queuedMessageParamsSchema,
      headers: ifMatchSchema,
      body: editQueuedRequestSchema,
      response: CHANGED,
    },
    handler: async (request, reply) => {
      const { text, content, position } = request.body;
      const isSaidAnew = text !== undefined || content !== undefined;
      const edited = await runtime.editQueued({
        ...onSession(request),
        messageId: request.params.messageId,
        ...(isSaidAnew && { content: fromWireContent({ text, content }) }),
        ...(position !== undefined && { position }),
      });
      return sendQueue(reply, edited);
    },
  });

  app.route({
    method: "DELETE",
    url: "/api/sessions/:id/queue/:messageId",
    schema: {
      operationId: "withdrawQueuedMessage",
      summary: "Take a message out of the queue",
      tags: TAGS,
      params: queuedMessageParamsSchema,
      headers: ifMatchSchema,
      response: CHANGED,
    },
    handler: async (request, reply) => {
      const { messageId } = request.params;
      return sendQueue(reply, await runtime.withdrawQueued({ ...onSession(request), messageId }));
    },
  });
}

function sendQueue(
  reply: Pick<FastifyReply, "code" | "header" | "type" | "send">,
  result: Reply<{ readonly queue: readonly QueuedMessage[] }>,
): FastifyReply {
  if (!result.ok) return sendRefusal(reply, result);
  return reply.code(200).send(toWireQueue(result.queue));
}
