import {
  editQueuedRequestSchema,
  queuedMessageParamsSchema,
  queueReplySchema,
  sessionParamsSchema,
} from "@holdfast/protocol";
import { defined } from "../../domain/defined.ts";
import type { App, AppServices } from "../app.ts";
import { aboutQueuedText } from "../guard/body-scope.ts";
import { fromWireContent } from "../wire/from-wire.ts";
import { ifMatchSchema, onSession } from "../wire/preconditions.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendProblem } from "../problems/send-problem.ts";
import { sendReply } from "../wire/send-reply.ts";
import { toWireQueue } from "../wire/to-wire.ts";

const TAGS = ["queue"];
const CHANGED = {
  200: () => queueReplySchema,
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
      summary: "List queued messages",
      tags: TAGS,
      params: () => sessionParamsSchema,
      response: { 200: () => queueReplySchema, ...readProblems("session_not_found") },
    },
    handler: async ({ params }, reply) =>
      sendReply(reply, await runtime.readQueue(params.id), toWireQueue),
  });

  app.route({
    method: "PATCH",
    url: "/api/sessions/:id/queue/:messageId",
    schema: {
      operationId: "editQueuedMessage",
      summary: "Change or move a queued message",
      tags: TAGS,
      params: () => queuedMessageParamsSchema,
      headers: () => ifMatchSchema,
      body: () => editQueuedRequestSchema,
      response: CHANGED,
    },
    handler: async (request, reply) => {
      const { text, content, position } = request.body;
      const hasContent = text !== undefined || content !== undefined;
      const problem = hasContent ? await aboutQueuedText(request, runtime) : null;
      if (problem !== null) return sendProblem(reply, problem);
      const queue = await runtime.editQueued({
        ...onSession(request),
        messageId: request.params.messageId,
        ...(hasContent && { content: fromWireContent({ text, content }) }),
        ...defined({ position }),
      });
      return sendReply(reply, queue, toWireQueue);
    },
  });

  app.route({
    method: "DELETE",
    url: "/api/sessions/:id/queue/:messageId",
    schema: {
      operationId: "withdrawQueuedMessage",
      summary: "Remove a message from the queue",
      tags: TAGS,
      params: () => queuedMessageParamsSchema,
      headers: () => ifMatchSchema,
      response: CHANGED,
    },
    handler: async (request, reply) => {
      const { messageId } = request.params;
      const queue = await runtime.withdrawQueued({ ...onSession(request), messageId });
      return sendReply(reply, queue, toWireQueue);
    },
  });
}
