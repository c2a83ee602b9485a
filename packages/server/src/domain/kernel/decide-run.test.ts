import { describe, expect, it } from "vitest";
import type { Command } from "./command.ts";
import type { CurrentRun, RunResult } from "../run.ts";
import { stateOf, type Standing } from "../session.ts";
import {
  answer,
  archive,
  cancel,
  closeSuspension,
  COMPLETED,
  CRASH,
  create,
  endRun,
  FAILED,
  handRun,
  HANDED,
  NOON,
  release,
  requeueRun,
  retryRun,
  send,
  START,
  startRun,
  suspend,
  suspendRun,
  suspension,
  update,
} from "../testing/commands.ts";
import { given, sessionAfter } from "../testing/given.ts";

const RUNNING = [create(), send(1, { start: HANDED })];
const NOT_HANDED = [create(), send(1, { start: START })];
const WAITING = [...RUNNING, suspendRun(1, "s1")];

function run(more: Partial<CurrentRun> = {}): CurrentRun {
  return {
    id: "r1",
    messageId: "m1",
    provider: "demo",
    model: null,
    continuity: "auto",
    handed: true,
    attempts: 1,
    ...more,
  };
}

function running(more: Partial<CurrentRun> = {}): Standing {
  return { status: "active", activity: { state: "running", run: run(more) } };
}

const ACTIVE_IDLE: Standing = { status: "active", activity: { state: "idle" } };

function idleAfter(commands: readonly Command[], outcome: RunResult["outcome"]) {
  const lastTurn = { at: NOON, outcome, line: null };
  return { ...sessionAfter(...commands), standing: ACTIVE_IDLE, lastTurn };
}

describe("idle → running", () => {
  it("C1 starts the run at the head of the queue", () => {
    const before = sessionAfter(create(), send(1), send(2));
    expect(
      given(create(), send(1), send(2)).when(
        startRun(1, { provider: "other", model: "large", handed: false }),
      ),
    ).toEqual({
      events: [
        {
          type: "run.started",
          at: NOON,
          run: run({ provider: "other", model: "large", handed: false, attempts: 0 }),
        },
      ],
      refused: null,
      session: {
        ...before,
        queue: before.queue.slice(1),
        lastRun: { provider: "other", model: "large" },
        standing: running({ provider: "other", model: "large", handed: false, attempts: 0 }),
      },
    });
  });

  it("C1 happens once: a repeated start records nothing", () => {
    expect(given(...RUNNING).when(startRun(1)).events).toEqual([]);
    expect(given(...WAITING).when(startRun(1)).events).toEqual([]);
  });

  it.each<[string, readonly Command[], Command, string]>([
    ["another run is in progress", [...RUNNING, send(2)], startRun(2), "session_busy"],
    ["another run waits", [...WAITING, send(2)], startRun(2), "session_busy"],
    [
      "the policy holds messages back",
      [create(), send(1), update({ changes: { delivery: "hold" } })],
      startRun(1),
      "delivery_held",
    ],
    [
      "the policy rejects messages",
      [create(), send(1), update({ changes: { delivery: "reject" } })],
      startRun(1),
      "delivery_held",
    ],
    ["another run is next", [create(), send(1), send(2)], startRun(2), "run_not_next"],
    ["nothing is queued", [create()], startRun(1), "run_not_next"],
    ["the session is archived", [create(), archive()], startRun(1), "session_archived"],
  ])("is refused when %s", (_, commands, command, code) => {
    expect(given(...commands).when(command).refused?.code).toBe(code);
  });
});

describe("handing the message to the agent", () => {
  it("is recorded once before it happens, and counted", () => {
    const { events, session } = given(...NOT_HANDED).when(handRun(1));
    expect(events).toEqual([{ type: "run.handed", at: NOON, runId: "r1" }]);
    expect(session).toEqual({ ...sessionAfter(...NOT_HANDED), standing: running() });
    expect(given(...RUNNING).when(handRun(1)).events).toEqual([]);
  });

  it("C4 can be repeated after a transient error, which is recorded", () => {
    const { events, session } = given(...RUNNING).when(retryRun(1));
    expect(events).toEqual([{ type: "run.retried", at: NOON, runId: "r1", error: CRASH }]);
    expect(session?.standing).toEqual(running({ handed: false }));
    expect(given(...RUNNING, retryRun(1)).when(retryRun(1)).events).toEqual([]);
    expect(given(...RUNNING, retryRun(1)).when(handRun(1)).session?.standing).toEqual(
      running({ attempts: 2 }),
    );
  });

  it("is undone if it was recorded but did not happen: the run is the next one again", () => {
    const { events, session } = given(...RUNNING, send(2)).when(requeueRun(1));
    expect(events).toMatchObject([{ type: "run.requeued", entry: { runId: "r1", attempts: 0 } }]);
    expect(session?.queue.map(({ runId }) => runId)).toEqual(["r1", "r2"]);
    expect(stateOf(session ?? sessionAfter(create()))).toBe("idle");
  });

  it.each([handRun(1), retryRun(1), requeueRun(1)])(
    "is refused while the run waits for an answer: $type",
    (command) => {
      const { refused } = given(...WAITING).when(command);
      expect(refused).toEqual({ code: "run_not_running", status: "active", state: "suspended" });
    },
  );

  it.each([handRun(2), retryRun(2), requeueRun(2), suspendRun(2, "s1"), endRun(2)])(
    "is refused for a run that is not current: $type",
    (command) => {
      expect(given(...RUNNING, send(2)).when(command).refused).toEqual({
        code: "run_not_current",
        status: "active",
        state: "running",
      });
      expect(given(create()).when(command).refused).toEqual({
        code: "run_not_current",
        status: "active",
        state: "idle",
      });
    },
  );
});

describe("running → suspended", () => {
  it("C1 happens when the run waits for an answer, and stores the whole suspension", () => {
    const { events, session } = given(...RUNNING).when(
      suspendRun(1, "s1", { expiresAt: NOON + 9 }),
    );
    const stored = suspension("s1", { expiresAt: NOON + 9 });
    expect(events).toEqual([{ type: "run.suspended", at: NOON, runId: "r1", suspension: stored }]);
    expect(session).toEqual({
      ...sessionAfter(...RUNNING),
      standing: {
        status: "active",
        activity: { state: "suspended", run: run(), suspensions: [stored] },
      },
    });
  });

  it("C1 can have several suspensions, oldest first; each is recorded once", () => {
    const { session } = given(...WAITING).when(suspendRun(1, "s2"));
    const suspensions = [suspension("s1"), suspension("s2")];
    expect(session?.standing).toEqual({
      status: "active",
      activity: { state: "suspended", run: run(), suspensions },
    });
    expect(given(...WAITING).when(suspendRun(1, "s1")).events).toEqual([]);
  });

  it("is refused while the server is stopped", () => {
    const { refused } = given(...WAITING, suspend("crash")).when(suspendRun(1, "s2"));
    expect(refused).toEqual({ code: "run_not_current", status: "suspended", state: "suspended" });
  });
});

describe("suspended → running", () => {
  it("C1 happens when the answer arrives, which is not yet handed to the agent", () => {
    const { events, session } = given(...WAITING).when(answer("s1", { option: "allow" }));
    expect(events).toEqual([
      {
        type: "suspension.closed",
        at: NOON,
        suspensionId: "s1",
        closing: { how: "answered", answer: { option: "allow" }, by: "ada" },
      },
      { type: "run.resumed", at: NOON, runId: "r1" },
    ]);
    expect(session).toEqual({ ...sessionAfter(...RUNNING), standing: running({ handed: false }) });
  });

  it.each(["expired", "withdrawn"] as const)("C1 happens when the suspension is %s", (how) => {
    const { events, session } = given(...WAITING).when(closeSuspension("s1", how));
    expect(events).toEqual([
      { type: "suspension.closed", at: NOON, suspensionId: "s1", closing: { how } },
      { type: "run.resumed", at: NOON, runId: "r1" },
    ]);
    expect(session?.standing).toEqual(running({ handed: false }));
  });

  it.each([
    { first: "s1", left: "s2" },
    { first: "s2", left: "s1" },
  ])("C1 happens only with the last answer: after $first it waits for $left", ({ first, left }) => {
    const { events, session } = given(...WAITING, suspendRun(1, "s2")).when(answer(first));
    expect(events.map(({ type }) => type)).toEqual(["suspension.closed"]);
    expect(session?.standing).toEqual({
      status: "active",
      activity: { state: "suspended", run: run(), suspensions: [suspension(left)] },
    });
  });

  it("C3 also happens after a restart, and makes the session active", () => {
    const { events, session } = given(...WAITING, suspend("crash")).when(answer("s1"));
    expect(events.map(({ type }) => type)).toEqual([
      "session.resumed",
      "suspension.closed",
      "run.resumed",
    ]);
    expect(session?.standing).toEqual(running({ handed: false }));
  });

  it("C3 makes the session active with the first of several answers", () => {
    const { session } = given(...WAITING, suspendRun(1, "s2"), suspend("shutdown")).when(
      answer("s1"),
    );
    expect(session?.standing).toEqual({
      status: "active",
      activity: { state: "suspended", run: run(), suspensions: [suspension("s2")] },
    });
  });

  it.each<[string, readonly Command[]]>([
    ["was answered already", [...WAITING, answer("s1")]],
    ["has expired", [...WAITING, closeSuspension("s1", "expired")]],
    ["was let go with its run", [...WAITING, cancel()]],
    ["never was", [...RUNNING, suspendRun(1, "other")]],
  ])("is refused for a suspension that %s", (_, commands) => {
    expect(given(...commands).when(answer("s1")).refused?.code).toBe("suspension_not_open");
    expect(given(...commands).when(closeSuspension("s1", "expired")).refused?.code).toBe(
      "suspension_not_open",
    );
  });
});

describe("running → idle", () => {
  it("C1 happens when the run completes", () => {
    expect(given(...RUNNING).when(endRun(1))).toEqual({
      events: [
        { type: "run.ended", at: NOON, runId: "r1", result: COMPLETED, usage: { tokens: 7 } },
      ],
      refused: null,
      session: idleAfter(RUNNING, "completed"),
    });
  });

  it("C1 C4 happens when the run fails: the error is recorded and counted, and the session stays active", () => {
    expect(given(...RUNNING).when(endRun(1, FAILED))).toEqual({
      events: [{ type: "run.ended", at: NOON, runId: "r1", result: FAILED, usage: { tokens: 7 } }],
      refused: null,
      session: {
        ...idleAfter(RUNNING, "failed"),
        errorCount: 1,
        errorTotal: 1,
        lastError: { id: "r1", text: "the agent exited with code 1", at: NOON },
      },
    });
  });

  it("B3 resets the error count only when a run completes", () => {
    const started = [...RUNNING, endRun(1, FAILED), send(2, { start: HANDED })];
    const after = (result: RunResult) => given(...started).when(endRun(2, result)).session;
    const cancelled = { outcome: "cancelled", reason: "stop" } as const;
    const errors = { errorTotal: 1, lastError: { id: "r1" } };
    expect(after(COMPLETED)).toMatchObject({ errorCount: 0, ...errors });
    expect(after(cancelled)).toMatchObject({ errorCount: 1, ...errors });
    expect(after(FAILED)).toMatchObject({ errorCount: 2 });
  });

  it("C4 leaves a session usable however often its runs fail", () => {
    const failing = [1, 2, 3, 4].flatMap((n) => [send(n, { start: HANDED }), endRun(n, FAILED)]);
    const { session } = given(create(), ...failing).when(send(5, { start: HANDED }));
    expect(session?.standing).toEqual(running({ id: "r5", messageId: "m5" }));
  });

  it("is refused a second time: a run ends once", () => {
    expect(given(...RUNNING, endRun(1)).when(endRun(1, FAILED)).refused?.code).toBe(
      "run_not_current",
    );
  });
});

describe("suspended → idle", () => {
  const ended = (reason: string) => [
    {
      type: "run.ended",
      at: NOON,
      runId: "r1",
      result: { outcome: "cancelled", reason },
      usage: null,
    },
    { type: "suspension.closed", at: NOON, suspensionId: "s1", closing: { how: "released" } },
  ];

  it.each([
    { command: release(), reason: "nobody will answer" },
    { command: cancel(), reason: "asked by the user" },
  ])(
    "C1 happens by $command.type: the run ends and its suspensions are released",
    ({ command, reason }) => {
      expect(given(...WAITING).when(command)).toEqual({
        events: ended(reason),
        refused: null,
        session: idleAfter(WAITING, "cancelled"),
      });
    },
  );

  it.each([
    { command: release(), reason: "nobody will answer" },
    { command: cancel(), reason: "asked by the user" },
  ])(
    "C1 happens by $command.type while the server is stopped, without a change of the status",
    ({ command, reason }) => {
      const { events, session } = given(...WAITING, suspend("crash")).when(command);
      expect(events).toEqual(ended(reason));
      expect(session?.standing).toMatchObject({ status: "suspended", activity: { state: "idle" } });
    },
  );

  it("happens when the run ends by itself", () => {
    const { events, session } = given(...WAITING).when(endRun(1));
    expect(events.map(({ type }) => type)).toEqual(["run.ended", "suspension.closed"]);
    expect(session?.standing).toEqual(ACTIVE_IDLE);
  });

  it.each<[string, readonly Command[]]>([
    ["idle", [create()]],
    ["running", RUNNING],
  ])("is refused by release when the session is %s", (_, commands) => {
    expect(given(...commands).when(release()).refused?.code).toBe("session_not_suspended");
  });
});

describe("cancelling", () => {
  it("C1 ends the current run with a reason and keeps status and queue", () => {
    const commands = [...RUNNING, send(2)];
    const result = { outcome: "cancelled", reason: "asked by the user" };
    expect(given(...commands).when(cancel())).toEqual({
      events: [{ type: "run.ended", at: NOON, runId: "r1", result, usage: null }],
      refused: null,
      session: idleAfter(commands, "cancelled"),
    });
  });

  it("ends only the run that it names", () => {
    expect(given(...RUNNING).when(cancel({ runId: "r1" })).events).toHaveLength(1);
    expect(given(...RUNNING, send(2)).when(cancel({ runId: "r2" })).refused?.code).toBe(
      "run_not_current",
    );
  });

  it("records nothing without a current run, or if the run has ended", () => {
    expect(given(create()).when(cancel()).events).toEqual([]);
    expect(given(...RUNNING, endRun(1)).when(cancel({ runId: "r1" }))).toEqual({
      events: [],
      refused: null,
      session: sessionAfter(...RUNNING, endRun(1)),
    });
  });

  it("is refused for a queued run, which would start anyway", () => {
    const { refused } = given(create(), send(1)).when(cancel({ runId: "r1" }));
    expect(refused).toEqual({ code: "run_not_current", status: "active", state: "idle" });
  });

  it("is refused if the session is archived", () => {
    expect(given(create(), archive()).when(cancel()).refused?.code).toBe("session_archived");
  });
});
