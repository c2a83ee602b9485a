import { curlExample, type Caller } from "./curl-example.ts";
import type { Description, Operation, Schema } from "./description.ts";
import { html, withCode, type Html } from "./html.ts";
import { fieldsHtml, noteHtml, schemaName, typeHtml } from "./schema-html.ts";

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

type Schemas = Description["components"]["schemas"];

/** One operation: its purpose, parameters, body and replies, and a command to try it. */
export function routeHtml(
  route: Route,
  { schemas, ...caller }: Caller & { readonly schemas: Schemas },
): Html {
  const { method, path, operation } = route;
  const [bodyType, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  return html`<article id="${operation.operationId}">
    <h3><span class="method ${method}">${method}</span> <code>${path}</code></h3>
    <p>
      <b>${asSentence(operation.summary)}</b>
      ${operation.description === undefined ? null : withCode(operation.description)}
    </p>
    ${
      operation.parameters.length === 0
        ? null
        : html`<details>
            <summary>Parameters</summary>
            <ul class="fields">
              ${operation.parameters.map(
                ({ name, in: place, required = false, schema, description }) =>
                  html`<li>
                    <b><code>${name}</code></b
                    >${required ? null : html`<span class="optional">?</span>`}
                    <span class="place">${place}</span>
                    ${typeHtml(schema)}${noteHtml({ ...schema, description })}
                  </li>`,
              )}
            </ul>
          </details>`
    }
    ${
      body === undefined
        ? null
        : html`<details>
            <summary>
              Body${operation.requestBody?.required === true ? "" : ", optional"}:
              ${typeHtml(body.schema)} <span class="place">${bodyType ?? ""}</span>
            </summary>
            ${bodyHtml(body.schema, schemas)}
          </details>`
    }
    <details>
      <summary>Replies</summary>
      <ul class="fields">
        ${Object.entries(operation.responses).map(([status, response]) => replyHtml(status, response))}
      </ul>
    </details>
    <pre tabindex="0"><code>${curlExample(route, caller)}</code></pre>
  </article>`;
}

function asSentence(summary: string): string {
  return /[.?!]$/u.test(summary) ? summary : `${summary}.`;
}

function bodyHtml(schema: Schema, schemas: Schemas): Html {
  const named = schema.$ref === undefined ? schema : (schemas[schemaName(schema.$ref)] ?? schema);
  return (
    fieldsHtml(named) ??
    html`<p class="note">${named.description ?? "This body has no fields."}</p>`
  );
}

function replyHtml(
  status: string,
  { description, content = {} }: Operation["responses"][string],
): Html {
  const [type, media] = Object.entries(content)[0] ?? [];
  const note = description === "Default Response" ? "" : description;
  return html`<li>
    <b><code>${status}</code></b> ${media === undefined ? null : typeHtml(media.schema)}
    <span class="place">${type ?? ""}</span> <span class="note">${withCode(note)}</span>
  </li>`;
}
