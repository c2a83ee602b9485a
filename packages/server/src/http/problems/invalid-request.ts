import type { FieldError } from "@holdfast/protocol";
import type { FastifySchemaCompiler } from "fastify";
import type { z } from "zod";

const MAX_ERRORS = 20;
const MAX_FIELD_LENGTH = 200;

/** The request is not what the API describes: which field, and why. */
export class InvalidRequest extends Error {
  readonly errors: readonly FieldError[];

  constructor(errors: readonly FieldError[], part = "body") {
    super(
      errors
        .slice(0, 3)
        .map((error) => inWords(error, part))
        .join("; "),
    );
    this.name = "InvalidRequest";
    this.errors = errors;
  }
}

export const validatorCompiler: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart = "body" }) =>
  (value) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return { value: parsed.data };
    const { issues } = parsed.error;
    const errors = issues.flatMap((issue) => errorsOf(issue, issue.path)).slice(0, MAX_ERRORS);
    return { error: new InvalidRequest(errors, httpPart) };
  };

type Issue = z.core.$ZodIssue;

function errorsOf(issue: Issue, path: readonly PropertyKey[]): readonly FieldError[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      field: nameOf([...path, key]),
      message: "There is no such field",
    }));
  }
  if (issue.code === "invalid_union") {
    const nearest = issue.errors.find((errors) => errors.every(isAboutInside));
    if (nearest !== undefined)
      return nearest.flatMap((inner) => errorsOf(inner, [...path, ...inner.path]));
  }
  return [{ field: nameOf(path), message: issue.message }];
}

/** The branch was right in kind: what is wrong is not that the value is something else altogether. */
function isAboutInside({ code, path }: Issue): boolean {
  return code !== "invalid_type" || path.length > 0;
}

/** A field's name can be whatever the client made it. */
function nameOf(path: readonly PropertyKey[]): string {
  const name = path.map(String).join(".");
  return name.length > MAX_FIELD_LENGTH ? `${name.slice(0, MAX_FIELD_LENGTH)}…` : name;
}

function inWords({ field, message }: FieldError, part: string): string {
  return field === "" ? `The ${nameOfPart(part)}: ${message}` : `${field}: ${message}`;
}

function nameOfPart(part: string): string {
  return part === "querystring" ? "query" : part;
}
