import type { App, AppServices } from "../app.ts";

const ID_OF_OURS = /^[0-9a-f]{8}-[0-9a-f]{4}-7/u;

/** Wherever a session is named, what an orchestrator calls it is as good as its id. */
export function acceptAgentIds(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.addHook("preHandler", async ({ params, routeOptions }) => {
    if (routeOptions.url?.startsWith("/api/sessions/:id") !== true || !namesSession(params)) return;
    if (!ID_OF_OURS.test(params.id))
      params.id = (await runtime.findSession(params.id)) ?? params.id;
  });
}

function namesSession(params: unknown): params is { id: string } {
  return (
    typeof params === "object" && params !== null && "id" in params && typeof params.id === "string"
  );
}
