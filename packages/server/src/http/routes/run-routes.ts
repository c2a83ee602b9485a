import { runsQuerySchema, runsReplySchema, sessionParamsSchema } from "@holdfast/protocol";
import type { App, AppServices } from "../app.ts";
import { fromRunCursor } from "../wire/from-wire.ts";
import { readProblems } from "../problems/problem-responses.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { toWireRuns } from "../wire/to-wire.ts";

export function addRunRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "GET",
    url: "/api/sessions/:id/runs",
    schema: {
      operationId: "listRuns",
      summary: "The runs of a session, and what each waited for",
      description:
        "In the order they were asked for: what became of them, on which provider and model, with " +
        "what memory, how often tried, their usage and times. Go on with `cursor=nextCursor`.",
      tags: ["sessions"],
      params: sessionParamsSchema,
      querystring: runsQuerySchema,
      response: { 200: runsReplySchema, ...readProblems("session_not_found") },
    },
    handler: async ({ params, query: { limit, cursor } }, reply) => {
      const page = await runtime.readRuns({
        sessionId: params.id,
        limit,
        ...(cursor !== undefined && { after: fromRunCursor(cursor) }),
      });
      if (!page.ok) return sendRefusal(reply, page);
      return reply.code(200).send(toWireRuns(page));
    },
  });
}
