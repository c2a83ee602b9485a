import { createHash } from "node:crypto";
import type { App, AppServices } from "../app.ts";
import { parseDescription } from "./description.ts";
import type { Description } from "./openapi.ts";
import { pageHtml } from "./page-html.ts";
import { PAGE_STYLE } from "./page-style.ts";

const STYLE_HASH = createHash("sha256").update(PAGE_STYLE).digest("base64");
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The API for people to read, made of its own description. */
export function addDocsPage(
  app: App,
  { token, describe }: Pick<AppServices, "token"> & { readonly describe: Description },
): void {
  app.get("/docs", { config: { isPublic: true }, schema: { hide: true } }, async (request, reply) =>
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
