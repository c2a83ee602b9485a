import { HoldfastError, errorText } from "@holdfast/client";
import { refusedFields, type FieldError } from "@holdfast/protocol";

/** The progress of an answer. */
export type Answering =
  | { readonly at: "open" }
  | { readonly at: "sending"; readonly answer: unknown }
  | { readonly at: "answered"; readonly answer: unknown }
  /** It was answered or closed elsewhere. */
  | { readonly at: "late"; readonly reason: string }
  /** The answer does not fit: the fields of the form say why. */
  | { readonly at: "refused"; readonly errors: readonly FieldError[] }
  /** The answer may have arrived; repeating it is safe. */
  | { readonly at: "failed"; readonly answer: unknown; readonly reason: string };

const LATE: ReadonlyMap<string, string> = new Map([
  ["suspension_answered", "Already answered differently elsewhere."],
  ["suspension_not_open", "This request is closed."],
  ["session_not_found", "The session was deleted."],
]);

export function afterFailure(error: unknown, answer: unknown): Answering {
  const reason = error instanceof HoldfastError ? LATE.get(error.code) : undefined;
  if (reason !== undefined) return { at: "late", reason };
  const errors = error instanceof HoldfastError ? refusedFields(error.problem) : null;
  if (errors !== null) return { at: "refused", errors };
  return { at: "failed", answer, reason: errorText(error) };
}
