import { statsQuerySchema, statsSchema } from "@holdfast/protocol";
import type { App, AppServices } from "../app.ts";
import { fromWireTime } from "../wire/from-wire.ts";
import { readProblems } from "../problems/problem-responses.ts";
import { toWireStats } from "../wire/to-wire.ts";

export function addStatsRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "GET",
    url: "/api/stats",
    schema: {
      operationId: "getStats",
      summary: "How sessions and their runs went, by agent, by provider, by phase and over time",
      description:
        "Of runs that ended from `from` on and before `to`, and of sessions whose life, from creation to last activity, overlaps that; without them, of all.",
      tags: ["stats"],
      querystring: statsQuerySchema,
      response: { 200: statsSchema, ...readProblems() },
    },
    handler: async ({ query: { from, to } }) =>
      toWireStats(
        await runtime.stats({
          ...(from !== undefined && { from: fromWireTime(from) }),
          ...(to !== undefined && { to: fromWireTime(to) }),
        }),
      ),
  });
}
