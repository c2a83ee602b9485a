import { isObject } from "../json.ts";

/** A field of a form, with the limits that an answer must keep. */
export type Field =
  | {
      readonly type: "string";
      readonly minLength: number | null;
      readonly maxLength: number | null;
      readonly pattern: string | null;
      readonly format: Format | null;
    }
  | { readonly type: "choice"; readonly options: readonly string[] }
  | {
      readonly type: "choices";
      readonly options: readonly string[];
      readonly minItems: number | null;
      readonly maxItems: number | null;
    }
  | {
      readonly type: "number" | "integer";
      readonly minimum: number | null;
      readonly maximum: number | null;
    }
  | { readonly type: "boolean" }
  /** A type that the protocol does not allow. The field can only be left out. */
  | { readonly type: "unknown" };

export const FORMATS = ["email", "uri", "date", "date-time"] as const;
export type Format = (typeof FORMATS)[number];

export interface Form {
  readonly fields: ReadonlyMap<string, Field>;
  readonly required: readonly string[];
}

export type ParsedForm =
  | { readonly ok: true; readonly form: Form }
  /** `problem` completes the sentence "The form cannot be shown, because …". */
  | { readonly ok: false; readonly problem: string };

const MAX_FIELDS = 100;
const MAX_NAME = 200;
const MAX_OPTIONS = 1_000;

/** Keywords that combine schemas. A form is one flat object. */
const COMBINED = ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "patternProperties"];

/**
 * Reads the JSON Schema of an elicitation: a flat object of texts, numbers, booleans and choices. Null counts as absent.
 * A limit of a wrong type is ignored, because the agent checks its answers, too. The time is linear in the size.
 */
export function parseForm(schema: unknown): ParsedForm {
  if (!isObject(schema)) return no("its schema is not an object");
  if ((schema["type"] ?? "object") !== "object")
    return no('its schema is not of the type "object"');
  const combined = COMBINED.find((keyword) => (schema[keyword] ?? null) !== null);
  if (combined !== undefined) return no(`its schema uses "${combined}"`);
  const properties = schema["properties"] ?? {};
  if (!isObject(properties)) return no("its fields are not an object");
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS)
    return no(`it has ${entries.length} fields; the maximum is ${MAX_FIELDS}`);
  if (entries.some(([name]) => name.length > MAX_NAME))
    return no(`a name of a field is longer than ${MAX_NAME} characters`);
  const fields = new Map(entries.map(([name, field]) => [name, parseField(field)]));
  const required = schema["required"] ?? [];
  if (!isTexts(required)) return no("its required fields are not a list of names");
  for (const name of required) {
    const field = fields.get(name);
    if (field === undefined) return no(`it requires the field ${quoted(name)}, but has none`);
    if (field.type === "unknown")
      return no(`the required field ${quoted(name)} is not a text, number, boolean or choice`);
  }
  return { ok: true, form: { fields, required: [...new Set(required)] } };
}

function no(problem: string): ParsedForm {
  return { ok: false, problem };
}

function parseField(field: unknown): Field {
  if (!isObject(field)) return UNKNOWN;
  switch (field["type"]) {
    case "string":
      return parseText(field);
    case "number":
    case "integer":
      return {
        type: field["type"],
        minimum: numberOf(field["minimum"]),
        maximum: numberOf(field["maximum"]),
      };
    case "boolean":
      return { type: "boolean" };
    case "array": {
      const items = isObject(field["items"]) ? field["items"] : {};
      const options = parseOptions(items);
      if (options === "none" || options === "unreadable") return UNKNOWN;
      const { minItems, maxItems } = field;
      return { type: "choices", options, minItems: countOf(minItems), maxItems: countOf(maxItems) };
    }
    default:
      return UNKNOWN;
  }
}

function parseText(field: Readonly<Record<string, unknown>>): Field {
  const options = parseOptions(field);
  if (options === "unreadable") return UNKNOWN;
  if (options !== "none") return { type: "choice", options };
  const { pattern, format } = field;
  return {
    type: "string",
    minLength: countOf(field["minLength"]),
    maxLength: countOf(field["maxLength"]),
    pattern: typeof pattern === "string" ? pattern : null,
    format: FORMATS.find((known) => known === format) ?? null,
  };
}

/** The values of `enum`, or those of `oneOf` or `anyOf`, which also have titles. */
function parseOptions(
  schema: Readonly<Record<string, unknown>>,
): readonly string[] | "none" | "unreadable" {
  const titled = schema["oneOf"] ?? schema["anyOf"] ?? null;
  const values =
    titled === null
      ? (schema["enum"] ?? null)
      : Array.isArray(titled)
        ? titled.map((option: unknown) => (isObject(option) ? option["const"] : null))
        : [];
  if (values === null) return "none";
  if (!isTexts(values) || values.length === 0 || values.length > MAX_OPTIONS) return "unreadable";
  return values;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function countOf(value: unknown): number | null {
  const number = numberOf(value);
  return number !== null && Number.isInteger(number) && number >= 0 ? number : null;
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 80));
}

const UNKNOWN: Field = { type: "unknown" };
