import { describe, expect, it } from "vitest";
import type { Command } from "./command.ts";
import {
  DELIVERY_MODES,
  DELIVERY_POLICIES,
  type DeliveryMode,
  type DeliveryPolicy,
  type QueueEntry,
} from "../delivery.ts";
import { stateOf, type Session } from "../session.ts";
import {
  create,
  editQueued,
  endRun,
  HANDED,
  moveQueued,
  NOON,
  send,
  START,
  startRun,
  suspend,
  suspendRun,
  update,
  withdrawQueued,
} from "../testing/commands.ts";
import { given, sessionAfter, type Outcome } from "../testing/given.ts";

const RUNNING = [create(), send(1, { start: HANDED })];
const WAITING = [...RUNNING, suspendRun(1, "s1")];

function entry(n: number, more: Partial<QueueEntry> = {}): QueueEntry {
  return {
    messageId: `m${n}`,
    runId: `r${n}`,
    provider: null,
    model: null,
    continuity: "auto",
    attempts: 0,
    ...more,
  };
}

function queueOf(session: Session | null): readonly string[] {
  return session?.queue.map(({ messageId }) => messageId) ?? [];
}

describe("sending to an idle session", () => {
  it("C1 starts the run at once if a slot for its agent is free", () => {
    const command = send(1, {
      provider: "other",
      model: "large",
      continuity: "required",
      start: HANDED,
    });
    const { events, session } = given(create()).when(command);
    const run = {
      id: "r1",
      messageId: "m1",
      provider: "demo",
      model: null,
      continuity: "required" as const,
      handed: true,
      attempts: 1,
    };
    expect(events).toEqual([
      {
        type: "message.queued",
        at: NOON,
        entry: entry(1, { provider: "other", model: "large", continuity: "required" }),
        position: 0,
      },
      { type: "run.started", at: NOON, run },
    ]);
    expect(session).toEqual({
      ...sessionAfter(create()),
      lastRun: { provider: "demo", model: null },
      standing: { status: "active", activity: { state: "running", run } },
    });
  });

  it("C6 queues the message if no slot is free", () => {
    expect(given(create()).when(send(1))).toEqual({
      events: [{ type: "message.queued", at: NOON, entry: entry(1), position: 0 }],
      refused: null,
      session: { ...sessionAfter(create()), queue: [entry(1)] },
    });
  });

  it("C6 waits behind queued messages, even if a slot is free", () => {
    const { session } = given(create(), send(1)).when(send(2, { start: HANDED }));
    expect([stateOfAny(session), queueOf(session)]).toEqual(["idle", ["m1", "m2"]]);
  });

  it("is refused without a repository", () => {
    const { refused } = given(create({ repoId: null })).when(send(1, { start: HANDED }));
    expect(refused).toEqual({ code: "repository_required", status: "active", state: "idle" });
  });
});

describe("sending the same message again", () => {
  const NOTHING = { events: [], refused: null };

  it.each<[string, readonly Command[]]>([
    ["while it waits", [create(), send(1)]],
    ["while it works", RUNNING],
    ["while its run waits", WAITING],
    [
      "after it was put back into the queue",
      [create(), send(1, { start: START }), suspend("crash")],
    ],
    [
      "while the policy rejects messages",
      [...RUNNING, update({ changes: { delivery: "reject" } })],
    ],
  ])("adds nothing %s", (_, commands) => {
    for (const delivery of DELIVERY_MODES) {
      const retry = send(1, { runId: "another", delivery, start: HANDED });
      expect(given(...commands).when(retry)).toEqual({
        ...NOTHING,
        session: sessionAfter(...commands),
      });
    }
  });
});

describe("the effect of a message", () => {
  const SITUATIONS: Record<string, readonly Command[]> = {
    idle: [create()],
    running: RUNNING,
    suspended: WAITING,
  };
  type Row = readonly [DeliveryMode, DeliveryPolicy, string, string];
  const TABLE: readonly Row[] = [
    ["queue", "open", "idle", "starts"],
    ["queue", "open", "running", "waits"],
    ["queue", "open", "suspended", "waits"],
    ["queue", "hold", "idle", "waits"],
    ["queue", "hold", "running", "waits"],
    ["queue", "hold", "suspended", "waits"],
    ["queue", "reject", "idle", "delivery_rejected"],
    ["queue", "reject", "running", "delivery_rejected"],
    ["queue", "reject", "suspended", "delivery_rejected"],
    ["reject", "open", "idle", "starts"],
    ["reject", "open", "running", "session_busy"],
    ["reject", "open", "suspended", "session_busy"],
    ["reject", "hold", "idle", "delivery_held"],
    ["reject", "hold", "running", "delivery_held"],
    ["reject", "hold", "suspended", "delivery_held"],
    ["reject", "reject", "idle", "delivery_rejected"],
    ["reject", "reject", "running", "delivery_rejected"],
    ["reject", "reject", "suspended", "delivery_rejected"],
    ["interrupt", "open", "idle", "starts"],
    ["interrupt", "open", "running", "cancels and starts"],
    ["interrupt", "open", "suspended", "cancels and starts"],
    ["interrupt", "hold", "idle", "waits"],
    ["interrupt", "hold", "running", "cancels and waits"],
    ["interrupt", "hold", "suspended", "cancels and waits"],
    ["interrupt", "reject", "idle", "delivery_rejected"],
    ["interrupt", "reject", "running", "delivery_rejected"],
    ["interrupt", "reject", "suspended", "delivery_rejected"],
    ["steer", "open", "idle", "starts"],
    ["steer", "open", "running", "steers"],
    ["steer", "open", "suspended", "steers"],
    ["steer", "hold", "idle", "waits"],
    ["steer", "hold", "running", "waits"],
    ["steer", "hold", "suspended", "waits"],
    ["steer", "reject", "idle", "delivery_rejected"],
    ["steer", "reject", "running", "delivery_rejected"],
    ["steer", "reject", "suspended", "delivery_rejected"],
  ];

  it("C6 is defined for every mode, policy and state", () => {
    const combinations = DELIVERY_MODES.flatMap((mode) =>
      DELIVERY_POLICIES.flatMap((policy) =>
        Object.keys(SITUATIONS).map((state) => [mode, policy, state]),
      ),
    );
    expect(TABLE.map(([mode, policy, state]) => [mode, policy, state])).toEqual(combinations);
  });

  it.each(TABLE)(
    "C6 with the mode %s, under the policy %s, in a session that is %s: %s",
    (mode, policy, state, expected) => {
      const commands = [...(SITUATIONS[state] ?? []), update({ changes: { delivery: policy } })];
      expect(effectOf(given(...commands).when(send(2, { delivery: mode, start: HANDED })))).toBe(
        expected,
      );
    },
  );

  it.each([{ settings: { mode: "plan" } }, { provider: "other" }, { model: "other" }])(
    "D2 is no steering if the message needs a run of its own: %j",
    (more) => {
      const outcome = given(...(SITUATIONS["running"] ?? [])).when(
        send(2, { delivery: "steer", ...more }),
      );
      expect(effectOf(outcome)).toBe("waits");
    },
  );

  it("C6 is a refusal if it must not be queued and no slot is free", () => {
    const { refused } = given(create()).when(send(1, { delivery: "reject" }));
    expect(refused).toEqual({ code: "agents_busy", status: "active", state: "idle" });
  });

  it("C6 is a refusal if it must not be queued and others are queued", () => {
    const { refused } = given(create(), send(1)).when(
      send(2, { delivery: "reject", start: HANDED }),
    );
    expect(refused).toEqual({ code: "session_busy", status: "active", state: "idle" });
  });

  function effectOf({ events, refused }: Outcome): string {
    if (refused !== null) return refused.code;
    const types = events.map(({ type }) => type);
    const isSteered = events.some((event) => event.type === "message.queued" && event.entry.steer);
    if (isSteered) return "steers";
    const cancels = types.includes("run.ended") ? "cancels and " : "";
    return cancels + (types.includes("run.started") ? "starts" : "waits");
  }
});

describe("an interrupting message", () => {
  it("C6 ends the run, releases its suspensions, and goes to the head of the queue", () => {
    const commands = [...WAITING, suspendRun(1, "s2"), send(2)];
    const { events, session } = given(...commands).when(send(3, { delivery: "interrupt" }));
    expect(events).toEqual([
      {
        type: "run.ended",
        at: NOON,
        runId: "r1",
        result: { outcome: "cancelled", reason: "interrupted by a new message" },
        usage: null,
      },
      { type: "suspension.closed", at: NOON, suspensionId: "s1", closing: { how: "released" } },
      { type: "suspension.closed", at: NOON, suspensionId: "s2", closing: { how: "released" } },
      { type: "message.queued", at: NOON, entry: entry(3), position: 0 },
    ]);
    expect(session).toEqual({
      ...sessionAfter(...commands),
      standing: { status: "active", activity: { state: "idle" } },
      queue: [entry(3), entry(2)],
      lastTurn: { at: NOON, outcome: "cancelled", line: null },
    });
  });

  it("C6 makes a suspended session active", () => {
    const { events } = given(...WAITING, suspend("crash")).when(
      send(2, { delivery: "interrupt", start: START }),
    );
    expect(events.map(({ type }) => type)).toEqual([
      "session.resumed",
      "run.ended",
      "suspension.closed",
      "message.queued",
      "run.started",
    ]);
  });
});

describe("the queue", () => {
  const QUEUED = [...RUNNING, send(2), send(3), send(4)];

  it("C6 is delivered in order", () => {
    const { session } = given(...QUEUED, endRun(1), startRun(2), endRun(2)).when(startRun(3));
    expect([stateOfAny(session), queueOf(session)]).toEqual(["running", ["m4"]]);
  });

  it("C6 accepts messages up to its limit, and refuses more in every mode", () => {
    const full = given(...RUNNING, send(2), send(3));
    for (const delivery of DELIVERY_MODES) {
      const { refused } = full.when(send(4, { delivery, maxQueued: 2, start: HANDED }));
      expect(refused).toEqual({ code: "queue_full", status: "active", state: "running" });
    }
    expect(queueOf(full.when(send(4, { maxQueued: 3 })).session)).toEqual(["m2", "m3", "m4"]);
  });

  it("C6 can be edited: the change of a message is recorded", () => {
    expect(given(...QUEUED).when(editQueued(3))).toEqual({
      events: [{ type: "message.edited", at: NOON, messageId: "m3" }],
      refused: null,
      session: sessionAfter(...QUEUED),
    });
  });

  it.each([
    { n: 4, to: 0, order: ["m4", "m2", "m3"], position: 0 },
    { n: 2, to: 1, order: ["m3", "m2", "m4"], position: 1 },
    { n: 2, to: 99, order: ["m3", "m4", "m2"], position: 2 },
    { n: 4, to: -1, order: ["m4", "m2", "m3"], position: 0 },
  ])("C6 can be reordered: m$n to $to", ({ n, to, order, position }) => {
    const { events, session } = given(...QUEUED).when(moveQueued(n, to));
    expect(events).toEqual([{ type: "message.moved", at: NOON, messageId: `m${n}`, position }]);
    expect(queueOf(session)).toEqual(order);
  });

  it.each([
    { n: 3, to: 1 },
    { n: 4, to: 99 },
    { n: 2, to: -1 },
  ])("C6 records nothing when m$n moves to $to, its own position", ({ n, to }) => {
    expect(given(...QUEUED).when(moveQueued(n, to)).events).toEqual([]);
  });

  it("C6 loses a withdrawn message and its run", () => {
    expect(given(...QUEUED).when(withdrawQueued(3))).toEqual({
      events: [{ type: "message.withdrawn", at: NOON, messageId: "m3", runId: "r3" }],
      refused: null,
      session: { ...sessionAfter(...QUEUED), queue: [entry(2), entry(4)] },
    });
  });

  it.each([
    editQueued(1),
    moveQueued(1, 0),
    withdrawQueued(1),
    editQueued(9),
    moveQueued(9, 0),
    withdrawQueued(9),
  ])("C6 refuses $type of $messageId, which is not queued", (command) => {
    const { refused } = given(...QUEUED).when(command);
    expect(refused).toEqual({ code: "message_not_queued", status: "active", state: "running" });
  });
});

function stateOfAny(session: Session | null): string | null {
  return session === null ? null : stateOf(session);
}
