import type { FastifySchema, RouteOptions } from "fastify";
import type { App } from "../app.ts";

/** The OpenAPI document: made from the schemas that requests are checked with, when it is first asked for. */
export type Description = () => Promise<object>;

/** To be added before any route it describes. */
export function addOpenapi(app: App, { version }: { readonly version: string }): Description {
  const routes: RouteOptions[] = [];
  let document: Promise<object> | null = null;
  const describe: Description = () => {
    document ??= import("./describe-routes.ts").then(({ describeRoutes }) =>
      describeRoutes(routes, { version }),
    );
    return document;
  };
  app.addHook("onRoute", (route) => {
    const { method, schema } = route;
    if (method !== "HEAD") routes.push({ ...route });
    if (schema !== undefined) route.schema = withoutResponses(schema);
  });
  app.get("/openapi.json", { config: { isPublic: true }, schema: { hide: true } }, describe);
  return describe;
}

/** Replies are described with schemas and not checked with them: the framework need not prepare for it. */
function withoutResponses({ response: _, ...schema }: FastifySchema): FastifySchema {
  return schema;
}
