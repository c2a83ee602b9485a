import type { FieldError } from "@holdfast/protocol";
import type { FastifySchemaCompiler } from "fastify";
import { z } from "zod";
import type { LazySchema } from "../app.ts";

const MAX_ERRORS = 20;
const MAX_FIELD_LENGTH = 200;
const UNKNOWN_FIELD = "unknown field";

/** A request that does not match the API's schemas; lists the fields and their errors. */
export class InvalidRequest extends Error {
  readonly errors: readonly FieldError[];

  constructor(errors: readonly FieldError[], part = "body") {
    const sentences = errors.slice(0, 3).map((error) => sentenceOf(error, part));
    super(sentences.join("; "));
    this.name = "InvalidRequest";
    this.errors = errors;
  }
}

export const validatorCompiler: FastifySchemaCompiler<LazySchema> = ({
  schema,
  httpPart = "body",
}) => {
  return (value) => {
    const parsed = parse(schema(), value);
    return parsed.ok
      ? { value: parsed.data }
      : { error: new InvalidRequest(parsed.errors, httpPart) };
  };
};

/** For requests that come without HTTP. Throws an `InvalidRequest`. */
export function parseRequest<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.infer<Schema> {
  const parsed = parse(schema, value);
  if (parsed.ok) return parsed.data;
  throw new InvalidRequest(parsed.errors);
}

type Parsed<Schema extends z.ZodType> =
  | { readonly ok: true; readonly data: z.infer<Schema> }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): Parsed<Schema> {
  // A message in a schema takes precedence; this replaces the validator's own texts.
  const error = (issue: RawIssue): string => messageOf(issue, schema);
  const parsed = schema.safeParse(value, { error });
  if (parsed.success) return { ok: true, data: parsed.data };
  const { issues } = parsed.error;
  const errors = issues.flatMap((issue) => errorsOf(issue, issue.path)).slice(0, MAX_ERRORS);
  return { ok: false, errors };
}

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;
type Path = readonly PropertyKey[];

/** Completes a sentence that begins with the field's name, for every kind of issue. */
function messageOf(issue: RawIssue, root: z.core.$ZodType): string {
  const schema = schemaAt(root, issue.path ?? []);
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined || (issue.input === null && schema === root))
        return "is required";
      if (schema instanceof z.ZodNumber) return rangeOf(schema);
      return `must be ${TYPE_NAMES[issue.expected] ?? `of type ${issue.expected}`}`;
    case "invalid_value":
      return issue.input === undefined
        ? "is required"
        : `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      if (schema instanceof z.ZodNumber) return rangeOf(schema);
      if (issue.origin === "number") return `must be at least ${issue.minimum}`;
      return Number(issue.minimum) <= 1
        ? "must not be empty"
        : `must have at least ${issue.minimum} ${UNITS[issue.origin] ?? "items"}`;
    case "too_big":
      if (schema instanceof z.ZodNumber) return rangeOf(schema);
      if (issue.origin === "number") return `must be at most ${issue.maximum}`;
      return `must have at most ${issue.maximum} ${UNITS[issue.origin] ?? "items"}`;
    case "invalid_format":
      return `must be a valid ${issue.format}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return UNKNOWN_FIELD;
    case "invalid_key":
      return "has an invalid key";
    default:
      return "is not valid";
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a string",
};
const UNITS: Readonly<Record<string, string>> = { string: "characters" };

/** The schema of the field at a path; undefined for unknown fields and inside unions. */
function schemaAt(schema: z.core.$ZodType | undefined, path: Path): z.core.$ZodType | undefined {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  )
    return schemaAt(schema.unwrap(), path);
  if (schema instanceof z.ZodPipe) return schemaAt(schema.out, path);
  const [key, ...rest] = path;
  if (key === undefined) return schema;
  if (schema instanceof z.ZodObject) return schemaAt(schema.shape[String(key)], rest);
  return schema instanceof z.ZodArray ? schemaAt(schema.element, rest) : undefined;
}

/** Names all limits of a number at once. */
function rangeOf(schema: z.ZodNumber): string {
  const { minValue, maxValue, isInt } = schema;
  const kind = isInt ? "a whole number" : "a number";
  const min = minValue !== null && minValue > Number.MIN_SAFE_INTEGER ? minValue : null;
  const max = maxValue !== null && maxValue < Number.MAX_SAFE_INTEGER ? maxValue : null;
  if (min === null) return `must be ${kind}${max === null ? "" : ` of at most ${max}`}`;
  if (!schema.safeParse(min).success)
    return `must be ${kind} above ${min}${max === null ? "" : ` and at most ${max}`}`;
  return `must be ${kind}${max === null ? ` of at least ${min}` : ` from ${min} to ${max}`}`;
}

function errorsOf(issue: Issue, path: Path): readonly FieldError[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({ field: nameOf([...path, key]), message: UNKNOWN_FIELD }));
  if (issue.code === "invalid_union") {
    const nearest = issue.errors.find((errors) => errors.every(isInsideValue));
    if (nearest !== undefined)
      return nearest.flatMap((inner) => errorsOf(inner, [...path, ...inner.path]));
  }
  return [{ field: nameOf(path), message: issue.message }];
}

/** False if the value as a whole has the wrong type or format for this branch of a union. */
function isInsideValue(issue: Issue): boolean {
  const isOther =
    issue.code === "invalid_type" || (issue.code === "invalid_format" && issue.format !== "regex");
  return !isOther || issue.path.length > 0;
}

/** Clients choose the names of unknown fields, so they may be very long. */
function nameOf(path: Path): string {
  const name = path.map(String).join(".");
  return name.length > MAX_FIELD_LENGTH ? `${name.slice(0, MAX_FIELD_LENGTH)}…` : name;
}

function sentenceOf({ field, message }: FieldError, part: string): string {
  if (message === UNKNOWN_FIELD) return `${message}: ${field}`;
  return `${field === "" ? `The ${part === "querystring" ? "query" : part}` : field} ${message}`;
}
