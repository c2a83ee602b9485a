import { grantParamsSchema, grantsReplySchema, sessionParamsSchema } from "@holdfast/protocol";
import type { FastifyReply } from "fastify";
import type { PermissionGrant } from "../../runtime/runtime.ts";
import type { Reply } from "../../runtime/reply.ts";
import type { App, AppServices } from "../app.ts";
import { ifMatchSchema, onSession } from "../wire/preconditions.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { toWireGrant } from "../wire/to-wire.ts";

const TAGS = ["suspensions"];

export function addGrantRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "GET",
    url: "/api/sessions/:id/grants",
    schema: {
      operationId: "listGrants",
      summary: "What people have answered for the rest of the session",
      description:
        "A permission answered with an option for always is not asked again in its session, also " +
        "not by another agent. What the policy denies stays denied.",
      tags: TAGS,
      params: sessionParamsSchema,
      response: { 200: grantsReplySchema, ...readProblems("session_not_found") },
    },
    handler: async ({ params }, reply) => sendGrants(reply, await runtime.listGrants(params.id)),
  });

  app.route({
    method: "DELETE",
    url: "/api/sessions/:id/grants/:grantId",
    schema: {
      operationId: "revokeGrant",
      summary: "Ask again from now on",
      description: "The reply holds the grants that are left.",
      tags: TAGS,
      params: grantParamsSchema,
      headers: ifMatchSchema,
      response: {
        200: grantsReplySchema,
        ...writeProblems("grant_not_found", "session_not_found", "version_mismatch"),
      },
    },
    handler: async (request, reply) => {
      const { grantId } = request.params;
      return sendGrants(reply, await runtime.revokeGrant({ ...onSession(request), grantId }));
    },
  });
}

function sendGrants(
  reply: Pick<FastifyReply, "code" | "header" | "type" | "send">,
  result: Reply<{ readonly grants: readonly PermissionGrant[] }>,
): FastifyReply {
  if (!result.ok) return sendRefusal(reply, result);
  return reply.code(200).send({ grants: result.grants.map(toWireGrant) });
}
