import { describe, expect, it } from "vitest";
import type { Command } from "./command.ts";
import {
  archive,
  at,
  create,
  endRun,
  fail,
  FAILED,
  HANDED,
  NOON,
  recordResume,
  remove,
  resume,
  send,
  suspend,
  suspendRun,
} from "../testing/commands.ts";
import { given, sessionAfter } from "../testing/given.ts";

const LATER = NOON + 60_000;
const RUNNING = [create(), send(1, { start: HANDED })];
const WAITING = [...RUNNING, suspendRun(1, "s1")];

describe("resume data of an agent", () => {
  it("A10 is stored only if it changes", () => {
    const command = recordResume(true, { session: "abc", turns: [1, 2] });
    expect(given(create()).when(command)).toEqual({
      events: [
        {
          type: "resume.recorded",
          at: NOON,
          provider: "demo",
          supportsResume: true,
          resumeData: { session: "abc", turns: [1, 2] },
        },
      ],
      refused: null,
      session: {
        ...sessionAfter(create()),
        supportsResume: true,
        resumeData: [{ provider: "demo", data: { session: "abc", turns: [1, 2] }, seen: null }],
      },
    });
    expect(
      given(create(), command).when(recordResume(true, { turns: [1, 2], session: "abc" })).events,
    ).toEqual([]);
    expect(
      given(create(), command).when(recordResume(true, { session: "abc", turns: [2, 1] })).events,
    ).toHaveLength(1);
    expect(
      given(create(), command).when(recordResume(false, { session: "abc", turns: [1, 2] })).events,
    ).toHaveLength(1);
  });
});

describe("whether an agent takes messages during its work", () => {
  const steers = { ...recordResume(true, null), supportsSteering: true } as const;

  it("D2 is stored when it changes", () => {
    expect(sessionAfter(...RUNNING).supportsSteering).toBe(false);
    const first = given(...RUNNING).when(steers);
    expect(first.events).toMatchObject([{ type: "resume.recorded", supportsSteering: true }]);
    expect(first.session?.supportsSteering).toBe(true);
    expect(given(...RUNNING, steers).when(steers).events).toEqual([]);
    const other = given(...RUNNING, steers).when(recordResume(true, null));
    expect(other.session?.supportsSteering).toBe(false);
  });

  it("D2 stays with the provider, and is unknown of another one", () => {
    const rested = [...RUNNING, steers, endRun(1)];
    expect(sessionAfter(...rested, send(2, { start: HANDED })).supportsSteering).toBe(true);
    const start = { ...HANDED, provider: "other" };
    expect(sessionAfter(...rested, send(2, { start })).supportsSteering).toBe(false);
  });
});

describe.each([
  {
    command: archive(),
    reason: "the session was archived",
    last: { type: "session.archived", at: LATER },
    standing: { status: "archived", archivedAt: LATER },
  },
  {
    command: fail(),
    reason: "the session failed: its data is unusable",
    last: { type: "session.failed", at: LATER, reason: "its data is unusable" },
    standing: { status: "error", reason: "its data is unusable", failedAt: LATER },
  },
])("$command.type", ({ command, reason, last, standing }) => {
  const put = at(LATER, command);

  it("A9 ends an idle session and does not count as activity", () => {
    expect(given(create()).when(put)).toEqual({
      events: [last],
      refused: null,
      session: { ...sessionAfter(create()), standing, updatedAt: LATER },
    });
  });

  it("A9 ends all work: the run is cancelled, queued messages are kept as undelivered", () => {
    const commands = [...WAITING, send(2), send(3)];
    const { events, session } = given(...commands).when(put);
    expect(events).toEqual([
      {
        type: "run.ended",
        at: LATER,
        runId: "r1",
        result: { outcome: "cancelled", reason },
        usage: null,
      },
      { type: "suspension.closed", at: LATER, suspensionId: "s1", closing: { how: "released" } },
      { type: "message.undelivered", at: LATER, messageId: "m2", runId: "r2" },
      { type: "message.undelivered", at: LATER, messageId: "m3", runId: "r3" },
      last,
    ]);
    expect(session).toEqual({
      ...sessionAfter(...commands),
      standing,
      queue: [],
      updatedAt: LATER,
      lastActiveAt: LATER,
      lastTurn: { at: LATER, outcome: "cancelled", line: null },
    });
  });

  it("A9 works on a session that the server suspended", () => {
    const { session } = given(create(), send(1), suspend("crash")).when(put);
    expect(session).toEqual({ ...sessionAfter(create()), standing, updatedAt: LATER });
  });

  it("A9 is final, and recorded once", () => {
    const commands = [create(), command];
    expect(given(...commands).when(put)).toEqual({
      events: [],
      refused: null,
      session: sessionAfter(...commands),
    });
    const refusals = [send(1), resume()].map(
      (other) => given(...commands).when(other).refused?.code,
    );
    const code = command.type === "archive" ? "session_archived" : "session_failed";
    expect(refusals).toEqual([code, code]);
  });
});

describe("deleting", () => {
  const idle = [{ type: "session.deleted", at: NOON }];
  const ended = {
    type: "run.ended",
    at: NOON,
    runId: "r1",
    result: { outcome: "cancelled", reason: "the session was deleted" },
    usage: null,
  };
  const released = {
    type: "suspension.closed",
    at: NOON,
    suspensionId: "s1",
    closing: { how: "released" },
  };

  it.each<[string, readonly Command[], readonly object[]]>([
    ["active and idle", [create()], idle],
    ["active and idle, with a queue", [create(), send(1)], idle],
    ["active and running", RUNNING, [ended, ...idle]],
    ["active and suspended", WAITING, [ended, released, ...idle]],
    ["suspended and idle", [create(), suspend("crash")], idle],
    ["suspended and suspended", [...WAITING, suspend("crash")], [ended, released, ...idle]],
    ["archived", [...RUNNING, archive()], idle],
    ["error", [...RUNNING, endRun(1, FAILED), fail()], idle],
  ])("C8 removes a session permanently when it is %s", (_, commands, events) => {
    expect(given(...commands).when(remove())).toEqual({ events, refused: null, session: null });
  });

  it("C8 is refused a second time", () => {
    expect(given(create(), remove()).when(remove()).refused?.code).toBe("session_not_found");
  });
});
