import { suspensionsReplySchema } from "@holdfast/protocol";
import type { App, AppServices } from "./build-app.ts";
import { readProblems } from "./problem-responses.ts";
import { toWireSuspension } from "./to-wire.ts";

export function addSuspensionRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "GET",
    url: "/api/suspensions",
    schema: {
      operationId: "listSuspensions",
      summary: "The inbox: everything anywhere that waits for an answer",
      description: "Answer with `POST /api/sessions/{sessionId}/resume`.",
      tags: ["suspensions"],
      response: { 200: suspensionsReplySchema, ...readProblems() },
    },
    handler: async () => ({
      suspensions: (await runtime.listSuspensions()).map(toWireSuspension),
    }),
  });
}
