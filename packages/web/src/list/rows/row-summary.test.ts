import type { Session } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { exampleSession } from "../../api/testing/example-session.ts";
import { summaryOf } from "./row-summary.ts";

const NAMED = { name: "The build", hasHit: false, hasStep: false };
const AT = "2026-01-01T00:00:00.000Z";
const ended = (outcome: "completed" | "failed") => ({
  lastTurn: { at: AT, outcome, line: "All tests pass." },
});

const waiting = (kind: "permission" | "event") => ({
  state: "suspended" as const,
  ...ended("completed"),
  suspensions: [
    { id: "w", kind, request: { title: "npm publish" }, createdAt: AT, expiresAt: null },
  ],
});

const CASES: readonly (readonly [
  name: string,
  changes: Partial<Session>,
  word: string | null,
  text: string | null,
])[] = [
  ["New", {}, "New", null],
  ["the last line", ended("completed"), null, "All tests pass."],
  ["a failure", ended("failed"), "Failed", "All tests pass."],
  ["a run without a phase", { state: "running" }, "Running", null],
  ["a phase that an agent set", { state: "running", phase: "planning" }, "Running", "planning"],
  ["what it waits for", waiting("event"), "Waiting", "Event: npm publish"],
  ["messages that wait", { queued: 2 }, "Queued", "2 queued"],
  ["a reason", { suspendedReason: "its folder is gone" }, "Paused", "its folder is gone"],
];

describe("the second line of a row", () => {
  it.each(CASES)("says %s", (_, changes, word, text) => {
    expect(summaryOf(exampleSession(changes), NAMED)).toMatchObject({ word, text });
  });

  it("has what a person is asked apart from the text", () => {
    const session = exampleSession({ ...waiting("permission"), queued: 1 });
    expect(summaryOf(session, NAMED)).toMatchObject({
      word: "Needs you",
      request: { id: "w" },
      text: "1 queued",
    });
  });

  it("leaves the word and the last line out if the step is shown", () => {
    const session = exampleSession({ ...ended("completed"), state: "running", queued: 2 });
    expect(summaryOf(session, { ...NAMED, hasStep: true })).toMatchObject({
      word: null,
      text: "2 queued",
    });
  });

  it("leaves the last line to the message that a search found", () => {
    const session = exampleSession(ended("completed"));
    expect(summaryOf(session, { ...NAMED, hasHit: true })).toMatchObject({
      word: "Done",
      text: null,
    });
  });
});
