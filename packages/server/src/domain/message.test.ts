import { describe, expect, it } from "vitest";
import type { SessionEvent } from "./kernel/event.ts";
import { noticesOf as noticesOfEvent, ROLES, unfinishedContent } from "./message.ts";
import {
  cancel,
  COMPLETED,
  CRASH,
  create,
  endRun,
  fail,
  FAILED,
  HANDED,
  NOON,
  retryRun,
  send,
  suspend,
} from "./testing/commands.ts";
import { given } from "./testing/given.ts";

const RUNNING = [create(), send(1, { start: HANDED })];

function noticesOf(events: readonly SessionEvent[]) {
  return events.flatMap(noticesOfEvent);
}

describe("what the transcript says about events", () => {
  it("A3 comes in messages of three roles", () => {
    expect(ROLES).toEqual(["user", "agent", "system"]);
  });

  it("C4 is why a run failed, with its code and the tail of stderr", () => {
    expect(noticesOf(given(...RUNNING).when(endRun(1, FAILED)).events)).toEqual([
      {
        type: "text",
        text: "Failed: the agent exited with code 1",
        notice: "run_failed",
        runId: "r1",
        code: "agent_exited",
        detail: "Segmentation fault",
      },
    ]);
  });

  it("C4 is that a run is tried again, and why", () => {
    expect(noticesOf(given(...RUNNING).when(retryRun(1)).events)).toEqual([
      { type: "text", text: `Trying again: ${CRASH.message}`, notice: "run_retried", runId: "r1" },
    ]);
  });

  it("is why a run was cancelled", () => {
    expect(noticesOf(given(...RUNNING).when(cancel()).events)).toEqual([
      { type: "text", text: "Cancelled: asked by the user", notice: "run_cancelled", runId: "r1" },
    ]);
  });

  it("is that a run was interrupted, and that nothing was repeated", () => {
    expect(noticesOf(given(...RUNNING).when(suspend("crash")).events)).toEqual([
      {
        type: "text",
        text: "Interrupted: the server stopped unexpectedly. The agent's work may be incomplete. It was not repeated.",
        notice: "run_interrupted",
        runId: "r1",
      },
    ]);
  });

  it("is why a session cannot go on, after what became of its run", () => {
    expect(noticesOf(given(...RUNNING).when(fail()).events)).toEqual([
      {
        type: "text",
        text: "Cancelled: the session failed: its data is unusable",
        notice: "run_cancelled",
        runId: "r1",
      },
      {
        type: "text",
        text: "The session failed: its data is unusable",
        notice: "session_failed",
      },
    ]);
  });

  it("is nothing where all went well", () => {
    const { events } = given(create()).when(send(1, { start: HANDED }));
    expect(
      noticesOf([
        ...events,
        { type: "run.ended", at: NOON, runId: "r1", result: COMPLETED, usage: null },
      ]),
    ).toEqual([]);
  });

  it("C3 is that an allowed action did not happen, after how the run ended", () => {
    const unusedAnswers = [{ suspensionId: "p1", title: "Write a.txt", answer: "yes" }];
    const ended = given(...RUNNING).when({ ...endRun(1, FAILED), unusedAnswers });
    expect(noticesOf(ended.events)).toMatchObject([
      { notice: "run_failed" },
      {
        type: "text",
        text: expect.stringContaining('"Write a.txt" was allowed, but the agent did not do it'),
        notice: "answer_unused",
        runId: "r1",
        suspensionId: "p1",
      },
    ]);
  });
});

describe("a message that nobody goes on with", () => {
  const call = { type: "tool", tool: "read", args: { status: "pending" } };

  it.each(["pending", "in_progress"])("A3 ends a tool call that is %s as unfinished", (status) => {
    expect(unfinishedContent({ ...call, status })).toEqual({ ...call, status: "unfinished" });
  });

  it.each([
    { ...call, status: "completed" },
    { ...call, status: "failed" },
    { ...call, status: "cancelled" },
    call,
    { type: "text", text: "pending", status: "pending" },
  ])("A3 leaves what has ended, and what is no call, as it is: %j", (content) => {
    expect(unfinishedContent(content)).toBe(content);
  });
});
