import { HoldfastError, errorText } from "@holdfast/client";

/** How far an answer has come. */
export type Answering =
  | { readonly at: "open" }
  | { readonly at: "sending"; readonly answer: unknown }
  | { readonly at: "given"; readonly answer: unknown }
  /** It was answered or closed elsewhere. */
  | { readonly at: "late"; readonly reason: string }
  /** The answer may have arrived; repeating it is safe. */
  | { readonly at: "failed"; readonly answer: unknown; readonly reason: string };

export function afterFailure(error: unknown, answer: unknown): Answering {
  if (error instanceof HoldfastError) {
    switch (error.code) {
      case "suspension_answered":
        return { at: "late", reason: "Already answered differently elsewhere." };
      case "suspension_not_open":
        return { at: "late", reason: "This request is closed." };
      case "session_not_found":
        return { at: "late", reason: "The session was deleted." };
      default:
        break;
    }
  }
  return { at: "failed", answer, reason: errorText(error) };
}
