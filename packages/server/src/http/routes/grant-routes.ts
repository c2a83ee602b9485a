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
      summary: "List the permissions granted or denied for the rest of the session",
      description:
        "A permission answered with an `…_always` option is not asked again in the session, whichever " +
        "agent asks. The permission policy still applies.",
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
      summary: "Revoke a grant",
      description:
        "The permission is asked again from now on. The reply lists the remaining grants.",
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
