import type { Schema } from "./description.ts";
import { html, type Html } from "./html.ts";

/** Schemas that are nested deeper are shown only by their names. */
const MAX_DEPTH = 5;

/** The type in one line: `string`, `date-time`, `Session[]`, `"a" | "b"`. References are links. */
export function typeHtml(schema: Schema): Html {
  if (schema.$ref !== undefined) return refHtml(schema.$ref);
  if (schema.enum !== undefined) {
    return html`<code>${schema.enum.map((value) => JSON.stringify(value)).join(" | ")}</code>`;
  }
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.anyOf !== undefined) {
    return html`${schema.anyOf.map((one, index) => html`${index > 0 ? " | " : ""}${typeHtml(one)}`)}`;
  }
  if (schema.type === "array") {
    return schema.items === undefined
      ? html`<code>array</code>`
      : html`${typeHtml(schema.items)}<code>[]</code>`;
  }
  return html`<code>${schema.format ?? [schema.type ?? "any"].flat().join(" | ")}</code>`;
}

function refHtml(ref: string): Html {
  const name = schemaName(ref);
  return html`<a href="#schema-${name}"><code>${name}</code></a>`;
}

export function schemaName(ref: string): string {
  return ref.split("/").at(-1) ?? ref;
}

/** The fields of an object with their types; null if there are none. */
export function fieldsHtml(schema: Schema, depth = 0): Html | null {
  const { properties, required = [] } = schema;
  if (properties !== undefined) {
    const rows = Object.entries(properties).map(([name, field]) =>
      fieldHtml(name, field, required.includes(name), depth),
    );
    return rows.length === 0
      ? null
      : html`<ul class="fields">
          ${rows}
        </ul>`;
  }
  if (schema.items !== undefined) return fieldsHtml(schema.items, depth);
  const inside = schema.anyOf?.flatMap((one) => fieldsHtml(one, depth) ?? []) ?? [];
  return inside.length === 0 ? null : html`${inside}`;
}

function fieldHtml(name: string, field: Schema, isRequired: boolean, depth: number): Html {
  const inside = depth < MAX_DEPTH ? fieldsHtml(field, depth + 1) : null;
  return html`<li>
    <b><code>${name}</code></b
    >${isRequired ? null : html`<span class="optional">?</span>`}
    ${typeHtml(field)}${noteHtml(field)}
    ${
      inside === null
        ? null
        : html`<details>
            <summary>fields</summary>
            ${inside}
          </details>`
    }
  </li>`;
}

/** The description of a value and its limits. */
export function noteHtml(schema: Schema): Html | null {
  const notes = [schema.description, ...limitsOf(schema)].filter((note) => note !== undefined);
  return notes.length === 0 ? null : html`<span class="note"> ${notes.join("; ")}</span>`;
}

function limitsOf(schema: Schema): readonly string[] {
  const { minimum, maximum, minLength, maxLength, maxItems } = schema;
  const isLimit = (limit: number | undefined): limit is number =>
    limit !== undefined && limit < Number.MAX_SAFE_INTEGER && limit > Number.MIN_SAFE_INTEGER;
  return [
    ...(isLimit(minimum) ? [`at least ${minimum}`] : []),
    ...(isLimit(maximum) ? [`at most ${maximum}`] : []),
    ...(isLimit(minLength) && minLength > 1 ? [`at least ${minLength} characters`] : []),
    ...(isLimit(maxLength) ? [`at most ${maxLength} characters`] : []),
    ...(isLimit(maxItems) ? [`at most ${maxItems}`] : []),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
}
