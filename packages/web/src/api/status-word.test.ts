import { expect, it } from "vitest";
import { statusWord, type Standing, type StatusWord } from "./status-word.ts";

const AT = "2026-11-02T09:00:00.000Z";

const FRESH: Standing = {
  status: "active",
  state: "idle",
  queued: 0,
  lastTurn: { at: AT, outcome: null, line: null },
  suspensions: [],
  suspendedReason: null,
};

function asked(kind: Standing["suspensions"][number]["kind"]): Partial<Standing> {
  return {
    state: "suspended",
    suspensions: [{ id: "s1", kind, request: {}, createdAt: AT, expiresAt: null }],
  };
}

function ended(outcome: Standing["lastTurn"]["outcome"]): Partial<Standing> {
  return { lastTurn: { at: AT, outcome, line: null } };
}

const CASES: readonly (readonly [string, Partial<Standing>, StatusWord])[] = [
  ["no run yet", {}, "New"],
  ["a message that waits for a free agent", { queued: 1 }, "Queued"],
  ["an agent at work", { state: "running", queued: 2 }, "Running"],
  ["a permission", asked("permission"), "Needs you"],
  ["a question", asked("elicitation"), "Needs you"],
  ["a used-up budget", asked("budget"), "Needs you"],
  ["a rate limit", asked("rate_limit"), "Waiting"],
  ["a run that ended", ended("completed"), "Done"],
  ["a run that failed", ended("failed"), "Failed"],
  ["a run that somebody stopped", ended("cancelled"), "Stopped"],
  ["a run that was cut off", ended("interrupted"), "Interrupted"],
  ["a failure with a message after it", { ...ended("failed"), queued: 1 }, "Queued"],
  [
    "a session that cannot go on by itself",
    { suspendedReason: "Its repository is gone." },
    "Paused",
  ],
  ["a server that was stopped", { status: "suspended", ...ended("completed") }, "Done"],
  ["an archived session", { status: "archived", ...ended("failed") }, "Archived"],
  ["a session that cannot go on", { status: "error" }, "Failed"],
];

it.each(CASES)("%s has one word (C9)", (_name, fields, word) => {
  expect(statusWord({ ...FRESH, ...fields })).toBe(word);
});
