import type { FieldError, Problem } from "../problem.ts";

/** The errors of a refused form by field, as sentences of their own; null for another problem. */
export function refusedFields(problem: Problem | null): readonly FieldError[] | null {
  if (problem?.code !== "answer_invalid" || problem.errors === undefined) return null;
  return problem.errors.map(({ field, message }) => ({
    field,
    message: `${message.charAt(0).toUpperCase()}${message.slice(1)}`,
  }));
}
