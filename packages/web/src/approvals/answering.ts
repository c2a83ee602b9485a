import { HoldfastError, errorText } from "@holdfast/client";

/** The progress of an answer. */
export type Answering =
  | { readonly at: "open" }
  | { readonly at: "sending"; readonly answer: unknown }
  | { readonly at: "answered"; readonly answer: unknown }
  /** It was answered or closed elsewhere. */
  | { readonly at: "late"; readonly reason: string }
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
  return { at: "failed", answer, reason: errorText(error) };
}
