import type { Caller } from "./curl-example.ts";
import type { Description } from "./description.ts";
import { html, withCode, type Html } from "./html.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { routeHtml, type Route } from "./route-html.ts";
import { fieldsHtml, noteHtml, typeHtml } from "./schema-html.ts";

/** The page's policy allows a style with exactly this content. */
const STYLE: Html = { markup: `<style>${PAGE_STYLE}</style>` };

/** The page has no script and loads nothing from other sites. */
export function pageHtml(description: Description, caller: Caller): string {
  const { info, tags, components } = description;
  const routes = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Route => ({ method, path, operation })),
  );
  const groups = tags
    .map((tag) => ({
      ...tag,
      routes: routes.filter(({ operation }) => operation.tags.includes(tag.name)),
    }))
    .filter((group) => group.routes.length > 0);
  const schemas = Object.entries(components.schemas).toSorted(([left], [right]) =>
    left.localeCompare(right),
  );
  const { markup } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${info.title} API</title>
        ${STYLE}
      </head>
      <body>
        <nav aria-label="Contents">
          <p class="brand"><a href="/">${info.title}</a> <span>${info.version}</span></p>
          <details class="contents">
            <summary>Contents</summary>
            ${groups.map(
              ({ name, routes: inGroup }) =>
                html`<p><a href="#${name}">${name}</a></p>
                  <ul>
                    ${inGroup.map(
                      ({ method, operation }) =>
                        html`<li>
                          <a href="#${operation.operationId}"
                            ><span class="method ${method}">${method}</span
                            ><span>${operation.summary}</span></a
                          >
                        </li>`,
                    )}
                  </ul>`,
            )}
            <p><a href="#schemas">schemas</a></p>
          </details>
        </nav>
        <main>
          <h1>${info.title} API</h1>
          <p>
            ${withCode(info.description)} The OpenAPI document:
            <a href="/openapi.json">openapi.json</a>.
          </p>
          ${groups.map(
            (group) =>
              html`<section>
                <h2 id="${group.name}">${group.name}</h2>
                <p>${group.description}</p>
                ${group.routes.map((route) => routeHtml(route, { ...caller, schemas: components.schemas }))}
              </section>`,
          )}
          <section>
            <h2 id="schemas">schemas</h2>
            ${schemas.map(
              ([name, schema]) =>
                html`<details class="schema">
                  <summary><code>${name}</code></summary>
                  <div id="schema-${name}">
                    <p>${typeHtml(schema)}${noteHtml(schema)}</p>
                    ${fieldsHtml(schema)}
                  </div>
                </details>`,
            )}
          </section>
        </main>
      </body>
    </html>`;
  return markup;
}
