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
  return events.flatMap((event) => noticesOfEvent(event));
}

describe("notices in the transcript", () => {
  it("A3 messages have three roles", () => {
    expect(ROLES).toEqual(["user", "agent", "system"]);
  });

  it("C4 give the error of a failed run, with its code and the end of stderr", () => {
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

  it("C4 say that a run is retried, and why", () => {
    expect(noticesOf(given(...RUNNING).when(retryRun(1)).events)).toEqual([
      { type: "text", text: `Trying again: ${CRASH.message}`, notice: "run_retried", runId: "r1" },
    ]);
  });

  it("give the reason of a cancelled run", () => {
    expect(noticesOf(given(...RUNNING).when(cancel()).events)).toEqual([
      { type: "text", text: "Cancelled: asked by the user", notice: "run_cancelled", runId: "r1" },
    ]);
  });

  it("say that a run was interrupted and not repeated", () => {
    expect(noticesOf(given(...RUNNING).when(suspend("crash")).events)).toEqual([
      {
        type: "text",
        text: "Interrupted: the server stopped unexpectedly. The agent's work may be incomplete. It was not repeated.",
        notice: "run_interrupted",
        runId: "r1",
      },
    ]);
  });

  it("give the reason of a failed session after the end of its run", () => {
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

  it("are absent if nothing went wrong", () => {
    const { events } = given(create()).when(send(1, { start: HANDED }));
    expect(
      noticesOf([
        ...events,
        { type: "run.ended", at: NOON, runId: "r1", result: COMPLETED, usage: null },
      ]),
    ).toEqual([]);
  });

  it("C3 name allowed actions that did not happen, after the end of the run", () => {
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

describe("a message whose agent has stopped", () => {
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
  ])("A3 keeps ended calls and other content unchanged: %j", (content) => {
    expect(unfinishedContent(content)).toBe(content);
  });
});
