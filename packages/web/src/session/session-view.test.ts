import type { FeedEvent } from "@holdfast/protocol";
import { expect, it } from "vitest";
import {
  openedView,
  takeEvent,
  withPastRuns,
  withSession,
  type SessionView,
} from "./session-view.ts";
import {
  AT,
  sampleMessage,
  sampleRun,
  sampleSession,
  sampleSuspension,
  sampleWhole,
} from "./testing/samples.ts";

const OPENED = openedView(sampleWhole(), []);
const after = (view: SessionView, ...events: readonly FeedEvent[]): SessionView =>
  events.reduce((now, event) => takeEvent(now, { id: null, ...event }), view);
const tool = (callId: string, text: string) =>
  sampleMessage(callId, {
    role: "system",
    content: { type: "tool", tool: "edit", args: null, result: text, callId },
  });

it("streamed text does not change the view", () => {
  const event = { type: "delta", data: { messageId: "m", text: "x" } } as const;
  expect(after(OPENED, event)).toBe(OPENED);
  expect(after(OPENED, { type: "message", data: sampleMessage("m") })).toBe(OPENED);
});

it("a queue event updates the count of queued messages", () => {
  const queued = {
    messageId: "q",
    runId: "r",
    content: { type: "text", text: "x" },
    provider: null,
    model: null,
    queuedAt: AT,
  };
  const view = after(OPENED, { type: "queue", data: { queue: [queued] } });
  expect([view.queue, view.session.queued]).toEqual([[queued], 1]);
});

it("a run is kept once, in its latest state", () => {
  const running = sampleRun("r1", { status: "running", endedAt: null });
  const done = sampleRun("r1", { usage: { totalTokens: 5 } });
  const view = after(OPENED, { type: "run", data: running }, { type: "run", data: done });
  expect(view.runs).toEqual([done]);
});

it("past runs do not replace newer ones", () => {
  const now = after(OPENED, { type: "run", data: sampleRun("r2", { status: "failed" }) });
  const view = withPastRuns(now, {
    runs: [sampleRun("r1", { queuedAt: "2025-01-01T00:00:00.000Z" }), sampleRun("r2")],
    complete: true,
  });
  expect(view.runs.map(({ id, status }) => [id, status])).toEqual([
    ["r1", "completed"],
    ["r2", "failed"],
  ]);
  expect(view.hasAllRuns).toBe(true);
});

it("closed suspensions are kept; open ones belong to the session", () => {
  const open = sampleSuspension("w");
  const answered = sampleSuspension("w", { status: "answered", closedAt: AT });
  const opened = after(OPENED, { type: "suspension", data: open });
  expect(opened.session.suspensions.map(({ id }) => id)).toEqual(["w"]);
  expect(opened.closed).toEqual([]);
  expect(after(OPENED, { type: "suspension", data: answered }).closed).toEqual([answered]);
});

it("the latest tool calls are kept in their current state", () => {
  const view = after(
    openedView(sampleWhole({ messages: [tool("a", "old"), tool("b", "x")] }), []),
    { type: "message", data: tool("a", "new") },
  );
  expect([...view.tools].map(([id, { content }]) => [id, content["result"]])).toEqual([
    ["b", "x"],
    ["a", "new"],
  ]);
});

it("an older reply does not replace a newer session", () => {
  const newer = sampleSession({ version: 5, title: "Newer" });
  const view = after(OPENED, { type: "session", data: newer });
  expect(withSession(view, sampleSession({ version: 4, title: "Older" }))).toBe(view);
  expect(withSession(view, sampleSession({ version: 6, title: "Newest" })).session.title).toBe(
    "Newest",
  );
});

it("a change of phase is applied once, with the duration of the previous phase", () => {
  const change = { from: "initializing", to: "planning", at: "2026-01-01T00:01:00.000Z" } as const;
  const event = { type: "phase", data: change } as const;
  const { session } = after(OPENED, event, event);
  expect([session.phase, session.phaseHistory]).toEqual([
    "planning",
    [{ ...change, durationMs: 60_000 }],
  ]);
});
