import { healthSchema, readinessSchema } from "@holdfast/protocol";
import type { App, AppServices } from "./build-app.ts";

export function addHealthRoutes(
  app: App,
  { runtime, version, startedAt }: Pick<AppServices, "runtime" | "version" | "startedAt">,
): void {
  app.route({
    method: "GET",
    url: "/healthz",
    config: { isPublic: true },
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
      const { ready, ...rest } = await runtime.readiness();
      return reply.code(ready ? 200 : 503).send({
        status: ready ? "ready" : "unready",
        version,
        startedAt: startedAt.toISOString(),
        ...rest,
      });
    },
  });
}
