import { ConnectionError, HoldfastError } from "@holdfast/client";
import { expect, it } from "vitest";
import { afterFailure } from "./answering.ts";

const refused = (code: ConstructorParameters<typeof HoldfastError>[0]) =>
  new HoldfastError(code, { status: 409, detail: "No." });

it("a late answer is distinguished from a failed one", () => {
  expect(afterFailure(refused("suspension_answered"), "a")).toEqual({
    at: "late",
    reason: "Already answered differently elsewhere.",
  });
  expect(afterFailure(refused("suspension_not_open"), "a")).toEqual({
    at: "late",
    reason: "This request is closed.",
  });
  expect(afterFailure(refused("answer_invalid"), "a")).toEqual({
    at: "failed",
    answer: "a",
    reason: "No.",
  });
});

it("an answer that may have arrived is kept for a retry", () => {
  const lost = new ConnectionError("no answer", { cause: null });
  expect(afterFailure(lost, "a")).toEqual({ at: "failed", answer: "a", reason: "no answer" });
});

it("an answer with wrong fields keeps their errors (D1)", () => {
  const problem = {
    type: "about:blank",
    title: "Unprocessable",
    status: 422,
    code: "answer_invalid" as const,
    detail: "No.",
    errors: [{ field: "name", message: "is required" }],
  };
  const error = new HoldfastError("answer_invalid", { status: 422, detail: "No.", problem });
  expect(afterFailure(error, {})).toEqual({
    at: "refused",
    errors: [{ field: "name", message: "Is required" }],
  });
});
