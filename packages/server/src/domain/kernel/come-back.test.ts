import { describe, expect, it } from "vitest";
import type { Command } from "./command.ts";
import { activityOf, currentRunOf, type Standing } from "../session.ts";
import {
  answer,
  archive,
  at,
  comeBack,
  create,
  fail,
  handRun,
  HANDED,
  NOON,
  resume,
  retryRun,
  send,
  START,
  startRun,
  suspend,
  suspendRun,
  suspension,
} from "../testing/commands.ts";
import { given, sessionAfter } from "../testing/given.ts";

const LATER = NOON + 60_000;
const RUNNING = [create(), send(1, { start: HANDED })];
const WAITING = [...RUNNING, suspendRun(1, "s1")];

const AWAY: Standing = {
  status: "suspended",
  activity: { state: "idle" },
  suspendedAt: NOON,
  reason: null,
};

describe("a stop of the server", () => {
  it("A8, ruling 15: suspends an idle session and keeps its times", () => {
    expect(given(create()).when(at(LATER, suspend("shutdown")))).toEqual({
      events: [{ type: "session.suspended", at: LATER, cause: "shutdown" }],
      refused: null,
      session: {
        ...sessionAfter(create()),
        standing: {
          status: "suspended",
          activity: { state: "idle" },
          suspendedAt: LATER,
          reason: null,
        },
      },
    });
  });

  it.each(["shutdown", "crash"] as const)(
    "ruling 14: leaves a session without a repository active (%s)",
    (cause) => {
      const tracked = create({ repoId: null });
      expect(given(tracked).when(at(LATER, suspend(cause)))).toEqual({
        events: [],
        refused: null,
        session: sessionAfter(tracked),
      });
    },
  );

  it.each<[string, readonly Command[]]>([
    ["idle", [create()]],
    ["running", RUNNING],
    ["about to be given its message", [create(), send(1, { start: START })]],
    ["suspended", WAITING],
  ])("A8, ruling 15: does not count as activity of a session that is %s", (_, commands) => {
    for (const cause of ["shutdown", "crash"] as const) {
      const { session } = given(...commands).when(at(LATER, suspend(cause)));
      expect(session?.lastActiveAt).toBe(NOON);
    }
  });

  it.each([
    { cause: "shutdown", reason: "the server was shut down" },
    { cause: "crash", reason: "the server stopped unexpectedly" },
  ] as const)(
    "interrupts a run that an agent got, which is not repeated ($cause)",
    ({ cause, reason }) => {
      const { events, session } = given(...RUNNING, send(2)).when(suspend(cause));
      expect(events).toEqual([
        {
          type: "run.ended",
          at: NOON,
          runId: "r1",
          result: { outcome: "interrupted", reason },
          usage: null,
        },
        { type: "session.suspended", at: NOON, cause },
      ]);
      expect(session).toEqual({
        ...sessionAfter(...RUNNING, send(2)),
        standing: AWAY,
        lastTurn: { at: NOON, outcome: "interrupted", line: null },
      });
    },
  );

  it("interrupts a run that is being retried, since the agent has it", () => {
    const { events } = given(...RUNNING, retryRun(1), handRun(1)).when(suspend("crash"));
    expect(events.map(({ type }) => type)).toEqual(["run.ended", "session.suspended"]);
  });

  it.each<[string, readonly Command[]]>([
    ["about to be tried again", [...RUNNING, retryRun(1)]],
    ["about to be given an answer", [...WAITING, answer("s1")]],
  ])("C3 continues a run that was %s, and keeps the number of attempts", (_, commands) => {
    const { events, session } = given(...commands).when(suspend("crash"));
    expect(events.map(({ type }) => type)).toEqual(["run.requeued", "session.suspended"]);
    expect(session?.queue).toMatchObject([{ runId: "r1", attempts: 1 }]);
    const resumed = given(...commands, suspend("crash")).when(startRun(1, HANDED));
    expect(currentRunOf(resumed.session ?? sessionAfter(create()))).toMatchObject({
      id: "r1",
      attempts: 2,
    });
  });

  it("returns a run that no agent got to the head of the queue, so that it starts again", () => {
    const commands = [
      create(),
      send(1, { start: { ...START, model: "large" }, continuity: "required" }),
      send(2),
    ];
    const before = sessionAfter(...commands);
    const entry = {
      messageId: "m1",
      runId: "r1",
      provider: "demo",
      model: "large",
      continuity: "required" as const,
      attempts: 0,
    };
    expect(given(...commands).when(suspend("crash"))).toEqual({
      events: [
        { type: "run.requeued", at: NOON, entry },
        { type: "session.suspended", at: NOON, cause: "crash" },
      ],
      refused: null,
      session: {
        ...before,
        queue: [entry, ...before.queue],
        standing: AWAY,
      },
    });
  });

  it("C3 keeps open suspensions", () => {
    expect(given(...WAITING).when(suspend("shutdown"))).toEqual({
      events: [{ type: "session.suspended", at: NOON, cause: "shutdown" }],
      refused: null,
      session: {
        ...sessionAfter(...WAITING),
        standing: {
          status: "suspended",
          activity: {
            state: "suspended",
            run: {
              id: "r1",
              messageId: "m1",
              provider: "demo",
              model: null,
              continuity: "auto",
              handed: true,
              attempts: 1,
            },
            suspensions: [suspension("s1")],
          },
          suspendedAt: NOON,
          reason: null,
        },
      },
    });
  });

  it.each<[string, readonly Command[]]>([
    ["suspended", [create(), suspend("shutdown")]],
    ["archived", [create(), archive()]],
    ["failed", [create(), fail()]],
  ])("changes nothing in a session that is already %s", (_, commands) => {
    expect(given(...commands).when(at(LATER, suspend("crash")))).toEqual({
      events: [],
      refused: null,
      session: sessionAfter(...commands),
    });
  });
});

describe("a session that the server suspended", () => {
  it.each<[string, readonly Command[]]>([
    ["idle", [create(), suspend("crash")]],
    ["suspended", [...WAITING, suspend("crash")]],
  ])("A10 is made active by resume, and stays %s", (_, commands) => {
    const before = sessionAfter(...commands);
    const { events, session } = given(...commands).when(at(LATER, resume()));
    expect(events).toEqual([{ type: "session.resumed", at: LATER }]);
    expect(session).toEqual({
      ...before,
      standing: { status: "active", activity: activityOf(before) },
      updatedAt: LATER,
      lastActiveAt: LATER,
    });
  });

  it.each<[string, readonly Command[]]>([
    ["idle", [create()]],
    ["suspended", WAITING],
  ])("ruling 14: is active again when the server starts, and stays %s", (_, commands) => {
    const away = [...commands, at(LATER, suspend("shutdown"))];
    const { events, session } = given(...away).when(at(LATER + 1, comeBack()));
    expect(events).toEqual([{ type: "session.resumed", at: LATER + 1, by: "server" }]);
    expect(session).toEqual(sessionAfter(...commands));
  });

  it("ruling 14: has the reason why it cannot continue, and the time at which its server stopped", () => {
    const away = [create(), suspend("shutdown")];
    const { session } = given(...away).when(at(LATER, comeBack("its repository is gone")));
    expect(session).toEqual({
      ...sessionAfter(create()),
      standing: { ...AWAY, reason: "its repository is gone" },
    });
  });

  it("ruling 14: records the reason once, and again if it changes", () => {
    const stuck = [create(), comeBack("its repository is gone")];
    expect(given(...stuck).when(at(LATER, comeBack("its repository is gone"))).events).toEqual([]);
    const { session } = given(...stuck).when(at(LATER, comeBack("it is no repository")));
    expect(session?.standing).toEqual({ ...AWAY, reason: "it is no repository" });
    expect(given(...stuck).when(comeBack()).session).toEqual(sessionAfter(create()));
  });

  it.each<[string, readonly Command[]]>([
    ["active", [create()]],
    ["archived", [create(), archive()]],
    ["failed", [create(), fail()]],
  ])("does not change when the server starts: %s", (_, commands) => {
    expect(given(...commands).when(at(LATER, comeBack())).events).toEqual([]);
  });

  it("does not change while an agent works in it, even without its repository", () => {
    expect(given(...RUNNING).when(comeBack("its repository is gone")).events).toEqual([]);
  });

  it("A10 is made active by the next message", () => {
    const { events, session } = given(create(), suspend("shutdown")).when(
      send(1, { start: HANDED }),
    );
    expect(events.map(({ type }) => type)).toEqual([
      "session.resumed",
      "message.queued",
      "run.started",
    ]);
    expect(session).toEqual(sessionAfter(...RUNNING));
  });

  it("A10 keeps waiting when a message is queued behind its run", () => {
    const { session } = given(...WAITING, suspend("crash")).when(send(2));
    expect(session).toEqual(sessionAfter(...WAITING, send(2)));
  });

  it("A10 does not change when the message is refused", () => {
    const { refused, session } = given(...WAITING, suspend("crash")).when(
      send(2, { delivery: "reject" }),
    );
    expect(refused).toEqual({ code: "session_busy", status: "suspended", state: "suspended" });
    expect(session).toEqual(sessionAfter(...WAITING, suspend("crash")));
  });

  it("A10 is resumed once: resuming an active session records nothing", () => {
    expect(given(create()).when(resume())).toEqual({
      events: [],
      refused: null,
      session: sessionAfter(create()),
    });
  });
});
