import { expect, it } from "vitest";
import { sampleSession } from "../session/testing/samples.ts";
import { worktreeLabel } from "./worktree-label.ts";
import { worktreeEndText, worktreeFate } from "./worktree-texts.ts";

const WORKTREE = { path: "/work/tree", branch: "holdfast/s", base: "abc" };

it("D7 a session with a worktree shows its branch, also before it is made", () => {
  expect(
    [
      sampleSession(),
      sampleSession({ workspace: "worktree" }),
      sampleSession({ workspace: "worktree", worktree: WORKTREE }),
    ].map(worktreeLabel),
  ).toEqual([null, "Worktree", "holdfast/s"]);
});

it("D7 says what became of the worktree of a deleted session", () => {
  const end = { path: "/work/tree", removed: true, message: null, keptAs: null };
  expect([
    worktreeEndText(end),
    worktreeEndText({ ...end, keptAs: "refs/kept" }),
    worktreeEndText({ ...end, removed: false, message: "a.txt is not committed." }),
  ]).toEqual([
    "Its worktree was removed.",
    "Its worktree was removed. Work that was in no branch is kept as refs/kept.",
    "Its worktree is still at /work/tree: a.txt is not committed.",
  ]);
  expect(worktreeFate(true)).not.toBe(worktreeFate(false));
});
