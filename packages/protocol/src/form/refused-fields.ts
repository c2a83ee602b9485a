import type { FieldError, Problem } from "../problem.ts";

/** The errors of a refused form by the name of their field; null for another problem. */
export function refusedFields(problem: Problem | null): readonly FieldError[] | null {
  if (problem?.code !== "answer_invalid" || problem.errors === undefined) return null;
  return problem.errors.map(({ field, message }) => ({
    field: field.replace(/^(?:answer\.)?content(?:\.|$)/u, ""),
    message,
  }));
}
