import {
  emptyRequestSchema,
  removedQuerySchema,
  removedReplySchema,
  sessionParamsSchema,
  sessionSchema,
} from "@holdfast/protocol";
import type { App, AppServices } from "../app.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendNewSession } from "../wire/send-session.ts";
import { toWireRemoved } from "../wire/to-wire.ts";

const TAGS = ["bundles"];

export function addRemovedRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "GET",
    url: "/api/removed",
    schema: {
      operationId: "listRemoved",
      summary: "Sessions that were removed and can be restored",
      description:
        "Retention, and cleanup of conversations, write a bundle of each session before they remove it. " +
        "The bundles are in the data folder of the node that removed it: each node lists its own.",
      tags: TAGS,
      querystring: removedQuerySchema,
      response: { 200: removedReplySchema, ...readProblems() },
    },
    handler: async ({ query }) => toWireRemoved(await runtime.listRemoved(query)),
  });

  app.route({
    method: "POST",
    url: "/api/removed/:id/restore",
    schema: {
      operationId: "restoreRemoved",
      summary: "Restore a removed session",
      description:
        "The session comes back with its id, its history and its age. If it cannot go on, its time until " +
        "it is removed begins anew.",
      tags: TAGS,
      params: sessionParamsSchema,
      body: emptyRequestSchema,
      response: {
        201: sessionSchema,
        ...writeProblems("removed_not_found", "session_exists", "bundle_invalid"),
      },
    },
    handler: async ({ params }, reply) =>
      sendNewSession(reply, await runtime.restoreRemoved(params.id)),
  });
}
