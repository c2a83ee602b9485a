import type { BranchState, Message } from "@holdfast/protocol";
import { expect, it } from "vitest";
import { exampleSession } from "../api/testing/example-session.ts";
import {
  archiveText,
  firstWish,
  idsOf,
  isTaken,
  lastAnswer,
  missingText,
  takeSteps,
  whyNotTaken,
} from "./compare-texts.ts";

const WORKTREE = { path: "/work/tree", branch: "holdfast/s", base: "abc" };

function message(
  role: Message["role"],
  content: Message["content"],
  runId: string | null = "r1",
): Message {
  return {
    id: `${role} ${JSON.stringify(content)}`,
    sessionId: "s1",
    runId,
    seq: 1,
    role,
    content,
    complete: true,
    timestamp: "2026-01-01T00:00:00.000Z",
  };
}

const branchOf = (changes: Partial<BranchState> = {}): BranchState => ({
  folder: "/work/tree",
  branch: "holdfast/s",
  into: "main",
  isClean: false,
  changedFiles: 2,
  ahead: 0,
  behind: 0,
  suggestedMessage: "Do it",
  canPush: false,
  canOpenPullRequest: false,
  pullRequest: null,
  ...changes,
});

it("the address of a comparison names each session once (D7)", () => {
  expect([idsOf("a,b,,a"), idsOf(undefined), idsOf("1,2,3,4,5,6,7,8,9,10,11")]).toEqual([
    ["a", "b"],
    [],
    ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"],
  ]);
});

it("a comparison needs a repository, two agents and a message (D7)", () => {
  const whole = { repoId: "r", agents: ["a", "b"], message: "Do it" };
  expect(
    [{ ...whole, repoId: "" }, { ...whole, agents: ["a"] }, { ...whole, message: " " }, whole].map(
      missingText,
    ),
  ).toEqual([
    "Choose a repository.",
    "Choose at least two agents.",
    "Write what the agents should do.",
    null,
  ]);
});

it("the last answer is that of the agent itself, in a run that was not taken back (D7)", () => {
  const messages = [
    message("user", { type: "text", text: "Do it" }),
    message("agent", { type: "text", text: "Done" }),
    message("agent", { type: "text", text: "From a sub-agent", parent: "call" }),
    message("agent", { type: "thought", text: "Hm" }),
    message("agent", { type: "text", text: "Taken back" }, "r2"),
  ];
  expect(lastAnswer({ messages, rewoundRuns: ["r2"] })?.text).toBe("Done");
  expect(lastAnswer({ messages: messages.slice(0, 1), rewoundRuns: [] })).toBe(null);
  expect([firstWish(messages), firstWish([])]).toEqual(["Do it", null]);
});

it("work is taken only when the agent is done (D7)", () => {
  const worked = exampleSession({ worktree: WORKTREE });
  expect(
    [
      worked,
      { ...worked, state: "running" as const },
      { ...worked, state: "suspended" as const },
      { ...worked, queued: 1 },
      exampleSession(),
    ].map(whyNotTaken),
  ).toEqual([
    null,
    "The agent is at work.",
    "The agent waits for your answer.",
    "The agent has not begun yet.",
    "It has no worktree with work.",
  ]);
});

it("says that work is committed before it is merged (D7)", () => {
  const merge = "holdfast/s is merged into main. Where main is checked out, its files change, too.";
  expect(
    [
      branchOf(),
      branchOf({ isClean: true, ahead: 1 }),
      branchOf({ isClean: true }),
      branchOf({ into: null }),
    ].map((branch) => ({ steps: takeSteps(branch), isTaken: isTaken(branch) })),
  ).toEqual([
    { steps: ["2 files are committed to holdfast/s.", merge], isTaken: false },
    { steps: [merge], isTaken: false },
    { steps: [], isTaken: true },
    { steps: [], isTaken: false },
  ]);
});

it("says that archiving deletes nothing, and what it stops (D7)", () => {
  const idle = exampleSession();
  const running = exampleSession({ state: "running" });
  expect(archiveText([idle])).toMatch(/^They accept no more messages.* branches stay\.$/u);
  expect([archiveText([idle, running]), archiveText([running, running])].map(end)).toEqual([
    "One is at work and will be stopped.",
    "2 are at work and will be stopped.",
  ]);
});

function end(text: string): string {
  return text.split("branches stay. ")[1] ?? "";
}
