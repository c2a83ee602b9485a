import { z } from "zod";

/** The part of JSON Schema that our API description uses. */
export interface Schema {
  readonly $ref?: string | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly oneOf?: readonly Schema[] | undefined;
  readonly const?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly format?: string | undefined;
  readonly pattern?: string | undefined;
  readonly maxLength?: number | undefined;
  readonly items?: Schema | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly additionalProperties?: Schema | boolean | undefined;
}

export const schemaSchema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    anyOf: z.array(schemaSchema).optional(),
    oneOf: z.array(schemaSchema).optional(),
    const: z.unknown().optional(),
    enum: z.array(z.unknown()).optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    format: z.string().optional(),
    pattern: z.string().optional(),
    maxLength: z.number().optional(),
    items: schemaSchema.optional(),
    properties: z.record(z.string(), schemaSchema).optional(),
    additionalProperties: z.union([z.boolean(), schemaSchema]).optional(),
  }),
);

export interface Filling {
  readonly schemas: Readonly<Record<string, Schema>>;
  /** The text for a free-text field, by its path: `request.options.name`. */
  readonly text: (field: string) => string;
  /** The value of all texts with a pattern, such as IDs. */
  readonly word: string;
}

/** More than the largest enumeration has. */
const MAX_VARIANTS = 20;
const MAX_DEPTH = 12;

/** Valid values for a schema that together contain each of its variants, with the text in every text field. */
export function fillings(schema: Schema, filling: Filling): readonly unknown[] {
  return fill(schema, { filling, path: [], depth: 0 });
}

interface Position {
  readonly filling: Filling;
  readonly path: readonly string[];
  readonly depth: number;
}

function fill(schema: Schema, at: Position): readonly unknown[] {
  const { filling, path, depth } = at;
  const { schemas, word } = filling;
  const within = (inner: Schema, field?: string): readonly unknown[] =>
    fill(inner, {
      filling,
      path: field === undefined ? path : [...path, field],
      depth: depth + 1,
    });
  if (depth > MAX_DEPTH) return [null];
  if (schema.$ref !== undefined)
    return within(schemas[schema.$ref.replace(/^#\/(?:components\/schemas|\$defs)\//u, "")] ?? {});
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return either.flatMap((one) => within(one)).slice(0, MAX_VARIANTS);
  if (schema.const !== undefined) return [schema.const];
  if (schema.enum !== undefined) return schema.enum;
  const { type } = schema;
  if (typeof type === "object") return type.flatMap((one) => within({ ...schema, type: one }));
  switch (type) {
    case "string":
      if (schema.format === "date-time") return ["2026-01-31T12:00:00.000Z"];
      if (schema.pattern !== undefined) return [word];
      return [filling.text(path.join(".")).slice(0, schema.maxLength)];
    case "integer":
    case "number":
      return [1];
    case "boolean":
      return [true, false];
    case "null":
      return [null];
    case "array":
      return [within(schema.items ?? {})];
    case "object":
      return objects(schema, at, within);
    default:
      return [anything(at)];
  }
}

/** Values that a client needs to work. */
const FIXED_VALUES: ReadonlyMap<string, readonly unknown[]> = new Map([
  ["nextCursor", [null]],
  ["lastEventId", ["1"]],
]);

function objects(
  { properties = {}, additionalProperties }: Schema,
  at: Position,
  within: (inner: Schema, field: string) => readonly unknown[],
): readonly unknown[] {
  const fields = Object.entries(properties).map(
    ([name, schema]) => [name, FIXED_VALUES.get(name) ?? within(schema, name)] as const,
  );
  const needed = Math.min(MAX_VARIANTS, Math.max(1, ...fields.map(([, values]) => values.length)));
  // Of objects with the same ID, a page shows the last. With an odd number, its fields that may be null are not.
  const count = needed % 2 === 0 ? needed + 1 : needed;
  return Array.from({ length: count }, (_, index) => ({
    ...extraFields(additionalProperties, at, within),
    ...Object.fromEntries(fields.map(([name, values]) => [name, values[index % values.length]])),
  }));
}

function extraFields(
  allowed: Schema | boolean | undefined,
  at: Position,
  within: (inner: Schema, field: string) => readonly unknown[],
): object {
  if (allowed === undefined || allowed === false) return {};
  if (allowed === true || Object.values(allowed).every((value) => value === undefined))
    return anything(at);
  return { [at.filling.text("key")]: within(allowed, "value")[0] };
}

/** For an unspecified schema: the fields that agents use, each with the text. */
function anything({ filling, path }: Position): Readonly<Record<string, unknown>> {
  const text = (...fields: readonly string[]): string =>
    filling.text([...path, ...fields].join("."));
  return {
    [text("key")]: text("value"),
    type: "diff",
    title: text("title"),
    question: text("question"),
    name: text("name"),
    description: text("description"),
    text: text("text"),
    kind: text("kind"),
    path: text("path"),
    command: text("command"),
    oldText: text("oldText"),
    newText: text("newText"),
    content: text("content"),
    status: text("status"),
    toolCallId: text("toolCallId"),
    input: { command: text("input.command"), path: text("input.path"), [text("input.key")]: 1 },
    locations: [{ path: text("locations.path"), line: 1 }],
    diffs: [
      {
        path: text("diffs.path"),
        oldText: text("diffs.oldText"),
        newText: text("diffs.newText"),
      },
    ],
    message: text("message"),
    mode: "form",
    url: text("url"),
    schema: { type: "object", properties: { [text("schema.field")]: field(text) } },
    suggestions: [text("suggestions")],
    choices: [text("choices")],
    options: [
      { optionId: text("optionId"), name: text("options.name"), kind: text("options.kind") },
      { optionId: "allow", name: text("options.name"), kind: "allow_once" },
    ],
  };
}

/** A field of a form, with the text at every place that people see. */
function field(text: (name: string) => string): Readonly<Record<string, unknown>> {
  return {
    type: "string",
    title: text("schema.title"),
    description: text("schema.description"),
    oneOf: [
      {
        const: text("schema.const"),
        title: text("schema.choice"),
        description: text("schema.choice.description"),
      },
    ],
  };
}
