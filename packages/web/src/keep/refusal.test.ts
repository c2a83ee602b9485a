import { HoldfastError, type HoldfastErrorCode } from "@holdfast/client";
import { expect, it } from "vitest";
import { refusalOf } from "./refusal.ts";

const refused = (code: HoldfastErrorCode, detail: string): HoldfastError =>
  new HoldfastError(code, { status: 409, detail });

it("shows the output of a hook or a program apart from the reason (D7)", () => {
  expect(
    [
      refused("hook_failed", "The hook pre-commit refused the commit:\nline 1\n  line 2\n"),
      refused("push_failed", "fatal: no access"),
      refused("pull_request_failed", "The command for pull requests failed: gh: not logged in"),
      refused("pull_request_failed", "The command for pull requests printed no address."),
    ].map((error) => {
      const { text, output } = refusalOf(error);
      return { text, output };
    }),
  ).toEqual([
    { text: "The hook pre-commit refused the commit.", output: "line 1\n  line 2" },
    { text: "The branch was not pushed.", output: "fatal: no access" },
    { text: "The command for pull requests failed.", output: "gh: not logged in" },
    { text: "The command for pull requests printed no address.", output: null },
  ]);
});

it("says what to do after conflicts and during a run (D7)", () => {
  expect(
    [
      refused("merge_conflicts", "These files conflict with main: a.txt."),
      refused("session_not_idle", "A run is in progress."),
    ].map(refusalOf),
  ).toEqual([
    {
      text: "These files conflict with main: a.txt.",
      advice: "Nothing was changed. Ask the agent to resolve the conflicts, or do it yourself.",
      output: null,
    },
    { text: "A run is in progress.", advice: "Try again when it has ended.", output: null },
  ]);
});

it("shows every other reason as the server gives it (D7)", () => {
  expect(
    [
      refused("nothing_to_commit", "There is nothing to commit."),
      refused("not_committed", "There is work that is not committed: a.txt."),
      new Error("The server cannot be reached."),
    ].map((error) => refusalOf(error).text),
  ).toEqual([
    "There is nothing to commit.",
    "There is work that is not committed: a.txt.",
    "The server cannot be reached.",
  ]);
});
