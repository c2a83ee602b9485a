import type { BranchState } from "@holdfast/protocol";
import { expect, it } from "vitest";
import {
  branchFacts,
  commitText,
  committedText,
  mergedText,
  mergeText,
  offersOf,
  pushedText,
  reasonsOf,
  rebasedText,
} from "./keep-texts.ts";

const branchOf = (changes: Partial<BranchState> = {}): BranchState => ({
  folder: "/work/tree",
  branch: "holdfast/s",
  into: "main",
  isClean: true,
  changedFiles: 0,
  ahead: 1,
  behind: 0,
  suggestedMessage: "Do it",
  canPush: false,
  canOpenPullRequest: false,
  pullRequest: null,
  ...changes,
});
const labels = (branch: BranchState, state: "idle" | "running" = "idle"): readonly string[] =>
  offersOf(branch, { state }).map(
    ({ label, why }) => `${label}${why === null ? "" : " (disabled)"}`,
  );

it("says how the branch of a session stands (D7)", () => {
  expect(
    [
      branchOf({ isClean: false, changedFiles: 2, ahead: 0 }),
      branchOf({ ahead: 0 }),
      branchOf({ ahead: 2, behind: 1 }),
      branchOf({ isClean: false, changedFiles: 1, into: null, ahead: null, behind: null }),
    ].map((branch) => branchFacts(branch).join(" ")),
  ).toEqual([
    "2 files not committed.",
    "Everything is committed. main has all commits of the branch.",
    "Everything is committed. 2 commits ahead of main. 1 commit behind main.",
    "1 file not committed.",
  ]);
});

it("offers only what has an effect, and says why something must wait (D7)", () => {
  const uncommitted = branchOf({ isClean: false, changedFiles: 1, ahead: 0, behind: 3 });
  expect(labels(uncommitted)).toEqual([
    "Commit…",
    "Rebase onto main (disabled)",
    "Merge into main… (disabled)",
  ]);
  expect(reasonsOf(offersOf(uncommitted, { state: "idle" }))).toEqual([
    "Commit the files before you rebase or merge.",
  ]);
  expect(labels(branchOf())).toEqual(["Merge into main…"]);
  expect(labels(branchOf({ ahead: 0 }))).toEqual([]);
  expect(labels(branchOf({ into: null, ahead: null, behind: null }))).toEqual([]);
});

it("offers to push and to open a pull request only where that is configured (D7)", () => {
  const configured = branchOf({ canPush: true, canOpenPullRequest: true });
  expect(labels(configured)).toEqual(["Merge into main…", "Push", "Open a pull request"]);
  const pullRequest = "https://example.com/pull/7";
  expect(labels(branchOf({ ...configured, pullRequest }))).toEqual(["Merge into main…", "Push"]);
});

it("offers nothing while a run is in progress, and says so (D7)", () => {
  const branch = branchOf({ isClean: false, changedFiles: 1, canPush: true });
  expect(labels(branch, "running")).toEqual([
    "Commit… (disabled)",
    "Merge into main… (disabled)",
    "Push (disabled)",
  ]);
  expect(
    (["running", "suspended"] as const).map((state) => reasonsOf(offersOf(branch, { state }))),
  ).toEqual([
    ["The agent is at work. Its work can be kept when the run has ended."],
    ["The agent waits for your answer. Its work can be kept when the run has ended."],
  ]);
});

it("says before a merge and a commit what will happen (D7)", () => {
  expect([branchOf(), branchOf({ ahead: 2, behind: 1 })].map(mergeText)).toEqual([
    "1 commit of holdfast/s goes into main. main moves forward to it. Where main is checked out, its files change, too. If files conflict, nothing is changed.",
    "2 commits of holdfast/s go into main. main has commits of its own, so a merge commit is made. Where main is checked out, its files change, too. If files conflict, nothing is changed.",
  ]);
  expect(
    [branchOf({ changedFiles: 2 }), branchOf({ changedFiles: 1, into: null })].map(commitText),
  ).toEqual([
    "Everything that is not ignored: 2 files. Hooks of the repository run.",
    "All changes in the folder of the repository: 1 file, also those of others.",
  ]);
});

it("says what was done (D7)", () => {
  const commit = "0123456789abcdef";
  expect([
    committedText({ files: 1, commit }),
    mergedText({ how: "merge", into: "main", commit }),
    mergedText({ how: "nothing", into: "main", commit }),
    rebasedText({ replayed: 2, onto: "main" }),
    pushedText({ branch: "holdfast/s", commit }),
  ]).toEqual([
    "Committed 1 file as 0123456789ab.",
    "Merged into main, which is now at 0123456789ab.",
    "main has all commits already.",
    "Rebased 2 commits onto main.",
    "Pushed holdfast/s at 0123456789ab.",
  ]);
});
