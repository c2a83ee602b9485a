import { healthSchema, readinessSchema } from "@holdfast/protocol";
import type { App, AppServices } from "./build-app.ts";

export function addHealthRoutes(app: App, { readiness, version, startedAt }: AppServices): void {
  app.route({
    method: "GET",
    url: "/healthz",
    schema: {
      operationId: "getHealth",
      summary: "Is the process alive?",
      tags: ["server"],
      response: { 200: healthSchema },
    },
    handler: async () => ({ status: "ok" as const, version }),
  });

  app.route({
    method: "GET",
    url: "/readyz",
    schema: {
      operationId: "getReadiness",
      summary: "Would a request be served now?",
      tags: ["server"],
      response: { 200: readinessSchema, 503: readinessSchema },
    },
    handler: async (_request, reply) => {
      const { ready, ...rest } = await readiness();
      return reply
        .code(ready ? 200 : 503)
        .header("cache-control", "no-store")
        .send({
          status: ready ? "ready" : "unready",
          version,
          startedAt: startedAt.toISOString(),
          ...rest,
        });
    },
  });
}
