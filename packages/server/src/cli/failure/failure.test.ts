import { ConnectionError, HoldfastError, type HoldfastErrorCode } from "@holdfast/client";
import { describe, expect, it } from "vitest";
import { failureOf } from "./failure.ts";

const refused = (code: HoldfastErrorCode) =>
  failureOf(new HoldfastError(code, { status: 409, detail: `No: ${code}.` }), "s1");

describe("a failed command", () => {
  it.each([
    ["removed_not_found", 1, "Run `holdfast removed` to see all removed sessions."],
    ["session_not_found", 1, "Run `holdfast list` to see all sessions."],
    ["session_archived", 2, "Continue in a copy with: holdfast fork s1"],
    ["session_failed", 2, "Continue in a copy with: holdfast fork s1"],
    [
      "session_busy",
      2,
      "Pass --delivery queue to wait, or --delivery interrupt to cancel the run.",
    ],
    ["provider_unknown", 1, "Run `holdfast providers` to see all providers."],
    ["unauthorized", 2, "Set HOLDFAST_TOKEN to a token of the server."],
  ] as const)("for %s says in one line what to do next", (code, exitCode, next) => {
    expect(refused(code)).toEqual({ exitCode, line: `holdfast: No: ${code}. ${next}` });
  });

  it("names the fields of a form as they are, and not as options (D1)", () => {
    const detail = "The answer does not fit the question: colour is required.";
    const errors = [{ field: "colour", message: "is required" }];
    const problem = {
      type: "",
      title: "",
      status: 422,
      code: "answer_invalid",
      detail,
      errors,
    } as const;
    const error = new HoldfastError("answer_invalid", { status: 422, detail, problem });
    expect(failureOf(error, "s1").line).toContain(detail);
  });

  it("prints the detail of the server on one line, without control characters", () => {
    expect(
      failureOf(
        new HoldfastError("internal_error", { status: 500, detail: "It\nbroke \u001B[2J" }),
        "s1",
      ),
    ).toEqual({ exitCode: 2, line: "holdfast: It broke ␛[2J" });
  });

  it("reports that no server answers and how to start one", () => {
    const lost = new ConnectionError("GET http://127.0.0.1:1/: no answer", { cause: null });
    expect(failureOf(lost, "s1")).toEqual({
      exitCode: 2,
      line: "holdfast: No server answers at http://127.0.0.1:1. Start one with: holdfast up",
    });
  });

  it("reports an invalid ID and rethrows a bug", () => {
    expect(failureOf(new TypeError('Not an id: ".."'), "..")).toEqual({
      exitCode: 1,
      line: 'holdfast: Not an ID: "..". Run `holdfast list` to see all sessions.',
    });
    expect(() => failureOf(new RangeError("a bug"), "s1")).toThrow("a bug");
  });
});
