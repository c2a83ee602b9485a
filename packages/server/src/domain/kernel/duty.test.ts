import { describe, expect, it } from "vitest";
import type { Command } from "./command.ts";
import { dutyOf, type Duty } from "./duty.ts";
import {
  answer,
  archive,
  cancel,
  create,
  fail,
  handRun,
  HANDED,
  NOON,
  retryRun,
  send,
  START,
  suspend,
  suspendRun,
  update,
} from "../testing/commands.ts";
import { sessionAfter } from "../testing/given.ts";

const RUNNING = [create(), send(1, { start: HANDED })];

describe("the duty for a session", () => {
  it("is to stop the agent if the session does not exist", () => {
    expect(dutyOf(null)).toEqual({ do: "clear" });
  });

  it.each<[string, readonly Command[], Duty]>([
    ["it is archived", [...RUNNING, send(2), archive()], { do: "clear" }],
    ["it has failed", [...RUNNING, send(2), fail()], { do: "clear" }],
    ["it is idle", [create()], { do: "rest" }],
    ["it is idle and the server was stopped", [create(), suspend("crash")], { do: "rest" }],
    ["messages wait", [create(), send(1), send(2)], { do: "start", runId: "r1", messageId: "m1" }],
    [
      "messages are queued and the server was stopped",
      [create(), send(1), suspend("crash")],
      { do: "start", runId: "r1", messageId: "m1" },
    ],
    [
      "messages are held back",
      [create(), send(1), update({ changes: { delivery: "hold" } })],
      { do: "rest" },
    ],
    [
      "messages are rejected",
      [create(), send(1), update({ changes: { delivery: "reject" } })],
      { do: "rest" },
    ],
    [
      "a run has started",
      [create(), send(1, { start: START })],
      { do: "drive", runId: "r1", handed: false },
    ],
    [
      "an agent got the message",
      [create(), send(1, { start: START }), handRun(1)],
      { do: "drive", runId: "r1", handed: true },
    ],
    [
      "the message must be handed again",
      [...RUNNING, retryRun(1)],
      { do: "drive", runId: "r1", handed: false },
    ],
    [
      "an answer must be handed",
      [...RUNNING, suspendRun(1, "s1"), answer("s1")],
      { do: "drive", runId: "r1", handed: false },
    ],
    [
      "the policy changes during a run",
      [...RUNNING, update({ changes: { delivery: "hold" } })],
      { do: "drive", runId: "r1", handed: true },
    ],
    [
      "a run was cut off before it was handed",
      [create(), send(1, { start: START }), suspend("crash")],
      { do: "start", runId: "r1", messageId: "m1" },
    ],
    ["a run was cut off after it was handed", [...RUNNING, suspend("crash")], { do: "rest" }],
    [
      "the run is cancelled and others wait",
      [...RUNNING, send(2), cancel()],
      { do: "start", runId: "r2", messageId: "m2" },
    ],
    [
      "it waits without a limit",
      [...RUNNING, suspendRun(1, "s1")],
      { do: "await", runId: "r1", until: null },
    ],
    [
      "it has several suspensions",
      [
        ...RUNNING,
        suspendRun(1, "s1", { expiresAt: NOON + 9 }),
        suspendRun(1, "s2"),
        suspendRun(1, "s3", { expiresAt: NOON + 5 }),
      ],
      { do: "await", runId: "r1", until: NOON + 5 },
    ],
    [
      "it waits and the server was stopped",
      [...RUNNING, suspendRun(1, "s1", { expiresAt: NOON + 9 }), suspend("shutdown")],
      { do: "await", runId: "r1", until: NOON + 9 },
    ],
  ])("depends only on its state: %s", (_, commands, duty) => {
    expect(dutyOf(sessionAfter(...commands))).toEqual(duty);
  });
});
