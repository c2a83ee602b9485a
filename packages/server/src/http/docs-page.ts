import { createHash } from "node:crypto";
import type { App, AppServices } from "./build-app.ts";
import { parseDescription } from "./docs/description.ts";
import { pageHtml } from "./docs/page-html.ts";
import { PAGE_STYLE } from "./docs/page-style.ts";

const STYLE_HASH = createHash("sha256").update(PAGE_STYLE).digest("base64");
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The API for people to read, made of its own description. */
export function addDocsPage(app: App, { token }: Pick<AppServices, "token">): void {
  app.get("/docs", { config: { isPublic: true }, schema: { hide: true } }, (request, reply) =>
    reply
      .code(200)
      .header("content-security-policy", POLICY)
      .type("text/html; charset=utf-8")
      .send(
        pageHtml(parseDescription(app.swagger()), {
          url: `${request.protocol}://${request.host}`,
          hasToken: token !== null,
        }),
      ),
  );
}
