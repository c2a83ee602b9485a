import { describe, expect, expectTypeOf, it } from "vitest";
import type { Command } from "./kernel/command.ts";
import type { Standing } from "./session.ts";
import { statusOf } from "./session.ts";
import { LEGAL_STATES, STATES, STATUS_RULES, STATUSES, type Status } from "./status.ts";
import {
  archive,
  create,
  fail,
  HANDED,
  resume,
  send,
  startRun,
  suspend,
  suspendRun,
} from "./testing/commands.ts";
import { given, sessionAfter } from "./testing/given.ts";

const REACHED: Record<Status, readonly Command[]> = {
  active: [create()],
  suspended: [create(), suspend("shutdown")],
  archived: [create(), archive()],
  error: [create(), fail()],
};

describe("the status of a session", () => {
  it("A7 is one of four, with the rules of its table", () => {
    expect(STATUSES).toEqual(["active", "suspended", "archived", "error"]);
    expect(STATUS_RULES).toEqual({
      active: { listed: true, counted: true, takesMessages: true, final: false },
      suspended: { listed: true, counted: true, takesMessages: true, final: false },
      archived: { listed: false, counted: false, takesMessages: false, final: true },
      error: { listed: false, counted: false, takesMessages: false, final: true },
    });
  });

  it.each(STATUSES)("A7 accepts messages in %s if the table says so", (status) => {
    const { refused } = given(...REACHED[status]).when(send(1));
    expect(refused === null).toBe(STATUS_RULES[status].takesMessages);
  });

  it.each(STATUSES)("A7 can be left from %s if the table says so", (status) => {
    const left = [send(1), resume(), suspend("crash"), archive(), fail()]
      .map((command) => given(...REACHED[status]).when(command).session)
      .some((session) => session !== null && statusOf(session) !== status);
    expect(left).toBe(!STATUS_RULES[status].final);
  });
});

describe("the legal pairs of status and state", () => {
  it("A7 are active with any, suspended with idle or suspended, archived and error with idle", () => {
    expect(STATES).toEqual(["idle", "running", "suspended"]);
    expect(LEGAL_STATES).toEqual({
      active: ["idle", "running", "suspended"],
      suspended: ["idle", "suspended"],
      archived: ["idle"],
      error: ["idle"],
    });
  });

  it("A7 are the only ones that the types allow", () => {
    type StateIn<S extends Status> =
      Extract<Standing, { status: S }> extends { activity: { state: infer State } }
        ? State
        : "idle";
    expectTypeOf<StateIn<"active">>().toEqualTypeOf<(typeof LEGAL_STATES)["active"][number]>();
    expectTypeOf<StateIn<"suspended">>().toEqualTypeOf<
      (typeof LEGAL_STATES)["suspended"][number]
    >();
    expectTypeOf<StateIn<"archived">>().toEqualTypeOf<(typeof LEGAL_STATES)["archived"][number]>();
    expectTypeOf<StateIn<"error">>().toEqualTypeOf<(typeof LEGAL_STATES)["error"][number]>();
  });
});

describe("every change of status", () => {
  const idle = [create()];
  const running = [create(), send(1, { start: HANDED })];
  const waiting = [...running, suspendRun(1, "s1")];
  const MATRIX: readonly [string, readonly Command[], Record<string, string>][] = [
    [
      "active and idle",
      idle,
      {
        send: "active",
        resume: "active",
        suspend: "suspended",
        archive: "archived",
        fail: "error",
      },
    ],
    [
      "active and running",
      running,
      {
        send: "active",
        resume: "active",
        suspend: "suspended",
        archive: "archived",
        fail: "error",
      },
    ],
    [
      "active and suspended",
      waiting,
      {
        send: "active",
        resume: "active",
        suspend: "suspended",
        archive: "archived",
        fail: "error",
      },
    ],
    [
      "suspended and idle",
      [...idle, suspend("shutdown")],
      {
        send: "active",
        resume: "active",
        suspend: "suspended",
        archive: "archived",
        fail: "error",
      },
    ],
    [
      "suspended and suspended",
      [...waiting, suspend("crash")],
      {
        send: "active",
        resume: "active",
        suspend: "suspended",
        archive: "archived",
        fail: "error",
      },
    ],
    [
      "archived",
      [...waiting, archive()],
      {
        send: "session_archived",
        resume: "session_archived",
        suspend: "archived",
        archive: "archived",
        fail: "session_archived",
      },
    ],
    [
      "error",
      [...waiting, fail()],
      {
        send: "session_failed",
        resume: "session_failed",
        suspend: "error",
        archive: "session_failed",
        fail: "error",
      },
    ],
  ];

  it.each(MATRIX)(
    "A7 from %s follows the model, or is refused with a code",
    (_, commands, expected) => {
      const outcomes = [send(2), resume(), suspend("crash"), archive(), fail()].map((command) => {
        const { refused, session } = given(...commands).when(command);
        return [command.type, refused?.code ?? (session === null ? null : statusOf(session))];
      });
      expect(Object.fromEntries(outcomes)).toEqual(expected);
    },
  );

  it("A7 to active also happens when the oldest queued message of a suspended session starts", () => {
    const before = sessionAfter(create(), send(1), suspend("crash"));
    const { session, events } = given(create(), send(1), suspend("crash")).when(startRun(1));
    expect(events.map(({ type }) => type)).toEqual(["session.resumed", "run.started"]);
    expect(session).toEqual({
      ...before,
      queue: [],
      lastRun: { provider: "demo", model: null },
      standing: {
        status: "active",
        activity: {
          state: "running",
          run: {
            id: "r1",
            messageId: "m1",
            provider: "demo",
            model: null,
            continuity: "auto",
            handed: false,
            attempts: 0,
          },
        },
      },
    });
  });
});
