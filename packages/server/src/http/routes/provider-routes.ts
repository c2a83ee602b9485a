import { providersReplySchema } from "@holdfast/protocol";
import type { App, AppServices } from "../app.ts";
import { readProblems } from "../problems/problem-responses.ts";
import { toWireProvider } from "../wire/to-wire.ts";

export function addProviderRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "GET",
    url: "/api/providers",
    schema: {
      operationId: "listProviders",
      summary: "Which agents there are, installed or not, with their models",
      tags: ["providers"],
      response: { 200: providersReplySchema, ...readProblems() },
    },
    handler: async () => {
      const { providers, defaultProvider } = await runtime.listProviders();
      return { providers: providers.map(toWireProvider), defaultProvider };
    },
  });
}
