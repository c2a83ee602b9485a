import { expect, it } from "vitest";
import { toNotice } from "./notice.ts";
import { messageMaker } from "./testing/messages.ts";

it("a failure is one line, and the rest is its detail", () => {
  const content = {
    type: "text",
    text: "Failed: the agent ended.\n\nIt said so.",
    notice: "run_failed",
    runId: "r1",
    code: "agent_crashed",
    detail: "stderr: out of memory\n",
  };
  expect(toNotice(messageMaker()("system", content))).toEqual({
    tone: "failure",
    text: "the agent ended.",
    detail: "It said so.\n\nstderr: out of memory\n\nCode: agent_crashed",
    isQuestion: false,
  });
});

it.each([
  ["run_failed", "Failed: rich exited with code 1", "rich crashed (exit code 1)"],
  ["run_failed", "Failed: rich was terminated by SIGKILL", "rich crashed (SIGKILL)"],
  ["run_failed", "Failed: rich: no credit", "rich: no credit"],
  ["run_cancelled", "Cancelled: on request (browser)", "You stopped this run"],
  ["run_cancelled", "Cancelled: on request (anyone (no authentication))", "You stopped this run"],
  ["run_cancelled", "Cancelled: on request (command line)", "You stopped this run in a terminal"],
  ["run_cancelled", "Cancelled: from the terminal", "You stopped this run in a terminal"],
  ["run_cancelled", "Cancelled: on request (token: anna)", "Stopped by anna"],
  ["run_cancelled", "Cancelled: on request (token: you know who)", "Stopped by you know who"],
  ["run_cancelled", "Cancelled: on request (server token)", "Stopped by a program"],
  ["run_cancelled", "Cancelled: on request", "Stopped on request"],
  [
    "run_cancelled",
    "Cancelled: the session was archived",
    "Stopped because the session was archived",
  ],
  ["run_cancelled", "Cancelled: the budget is used up", "Stopped because the budget is used up"],
  ["run_cancelled", "Cancelled: interrupted by a new message", "Stopped by a new message"],
  ["run_cancelled", "Cancelled: too slow", "Stopped: too slow"],
])("%s %j reads %j", (notice, text, words) => {
  const message = messageMaker()("system", { type: "text", text, notice });
  expect(toNotice(message).text).toBe(words);
});

it.each([
  [{ notice: "agent_memory" }, "quiet"],
  [{ notice: "run_interrupted" }, "warning"],
  [{ notice: "policy" }, "warning"],
  [{ notice: "agent_notice", severity: "warning" }, "warning"],
  [{ notice: "agent_notice", severity: "error" }, "failure"],
  [{}, "quiet"],
])("%j has the tone %s", (more, tone) => {
  const message = messageMaker()("system", { type: "text", text: "So.", ...more });
  expect(toNotice(message)).toEqual({ tone, text: "So.", detail: null, isQuestion: false });
});

it("question and answer of a form are not folded (D1)", () => {
  const content = { type: "text", text: "Which?\nDatabase: SQLite", notice: "elicitation" };
  expect(toNotice(messageMaker()("system", content))).toEqual({
    tone: "quiet",
    text: "Which?",
    detail: "Database: SQLite",
    isQuestion: true,
  });
});
