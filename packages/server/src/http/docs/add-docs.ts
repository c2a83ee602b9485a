import type { FastifySchema, RouteOptions } from "fastify";
import { createHash } from "node:crypto";
import type { App, AppServices } from "../app.ts";
import { parseDescription } from "./description.ts";
import { pageHtml } from "./page-html.ts";
import { PAGE_STYLE } from "./page-style.ts";

const PUBLIC = { config: { isPublic: true }, schema: { hide: true } };
const STYLE_HASH = createHash("sha256").update(PAGE_STYLE).digest("base64");
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Serves the OpenAPI document and a page made from it. Must be called before the routes are added. */
export function addDocs(
  app: App,
  { version, token }: Pick<AppServices, "version" | "token">,
): void {
  const routes: RouteOptions[] = [];
  let document: Promise<object> | null = null;
  const describe = (): Promise<object> =>
    (document ??= import("./describe-routes.ts").then(({ describeRoutes }) =>
      describeRoutes(routes, { version }),
    ));
  app.addHook("onRoute", (route) => {
    const { method, schema } = route;
    if (method !== "HEAD") routes.push({ ...route });
    if (schema !== undefined) route.schema = withoutResponses(schema);
  });
  app.get("/openapi.json", PUBLIC, describe);
  app.get("/docs", PUBLIC, async (request, reply) =>
    reply
      .code(200)
      .header("content-security-policy", POLICY)
      .type("text/html; charset=utf-8")
      .send(
        pageHtml(parseDescription(await describe()), {
          url: `${request.protocol}://${request.host}`,
          hasToken: token !== null,
        }),
      ),
  );
}

/** The schemas of replies only describe them. Fastify must not compile serializers from them. */
function withoutResponses({ response: _, ...schema }: FastifySchema): FastifySchema {
  return schema;
}
