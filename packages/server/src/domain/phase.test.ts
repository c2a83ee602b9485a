import { describe, expect, it } from "vitest";
import { isFinal, isResumable, OUTCOMES, PHASE_HISTORY_KEPT, PHASES, type Phase } from "./phase.ts";
import {
  archive,
  at,
  create,
  finalize,
  HANDED,
  MINUTE_MS,
  NOON,
  send,
  suspendRun,
  update,
} from "./testing/commands.ts";
import { given, sessionAfter } from "./testing/given.ts";

const LATER = NOON + MINUTE_MS;

describe("phases", () => {
  it("B2 are nine; three can be resumed and three are final", () => {
    expect(PHASES.map((phase) => [phase, isResumable(phase), isFinal(phase)])).toEqual([
      ["initializing", false, false],
      ["investigating", true, false],
      ["planning", true, false],
      ["approval", true, false],
      ["executing", false, false],
      ["validating", false, false],
      ["completed", false, true],
      ["failed", false, true],
      ["abandoned", false, true],
    ]);
    expect(OUTCOMES).toEqual(["completed", "failed", "abandoned"]);
  });

  it("B2 have a history: from, to and time", () => {
    const commands = [create(), at(LATER, update({ phase: "investigating" }))];
    const { events, session } = given(...commands).when(
      at(LATER + 1, update({ phase: "approval" })),
    );
    expect(events).toEqual([
      { type: "phase.changed", at: LATER + 1, from: "investigating", to: "approval" },
    ]);
    expect(session).toEqual({
      ...sessionAfter(create()),
      phase: "approval",
      resumeReady: true,
      phaseHistory: [
        { from: "initializing", to: "investigating", at: LATER },
        { from: "investigating", to: "approval", at: LATER + 1 },
      ],
      updatedAt: LATER + 1,
      lastActiveAt: LATER + 1,
    });
  });

  it.each(PHASES.filter((phase) => phase !== "initializing"))(
    "B2 set resume_ready when %s is entered",
    (phase) => {
      const from: Phase = phase === "planning" ? "approval" : "planning";
      const { session } = given(create(), update({ phase: from })).when(update({ phase }));
      expect([session?.phase, session?.resumeReady]).toEqual([phase, isResumable(phase)]);
    },
  );

  it("B2 are not ready to be resumed at creation", () => {
    expect(sessionAfter(create()).resumeReady).toBe(false);
  });

  it.each([update({ phase: "initializing" }), update({ changes: { metadata: { task: "T1" } } })])(
    "B2, ruling 15: that are reported again change only the last activity",
    (report) => {
      const later = NOON + 60_000;
      const before = sessionAfter(create({ metadata: { task: "T1" } }));
      const { events, session } = given(create({ metadata: { task: "T1" } })).when(
        at(later, report),
      );
      expect(events).toEqual([{ type: "session.touched", at: later }]);
      expect(session).toEqual({ ...before, updatedAt: later, lastActiveAt: later });
    },
  );

  it("B2 can go back, and the history keeps the latest", () => {
    const turns = Array.from({ length: PHASE_HISTORY_KEPT + 1 }, (_, n) =>
      at(NOON + n, update({ phase: n % 2 === 0 ? "planning" : "executing" })),
    );
    const history = sessionAfter(create(), ...turns).phaseHistory;
    expect(history).toHaveLength(PHASE_HISTORY_KEPT);
    expect([history.at(0), history.at(-1)]).toEqual([
      { from: "planning", to: "executing", at: NOON + 1 },
      { from: "executing", to: "planning", at: NOON + PHASE_HISTORY_KEPT },
    ]);
  });

  it.each(OUTCOMES)("B2 cannot change once they are final: %s", (outcome) => {
    const { refused } = given(create(), update({ phase: outcome })).when(
      update({
        phase: "planning",
        changes: { title: "too late" },
        error: { id: "e1", text: "lost" },
      }),
    );
    expect(refused).toEqual({ code: "phase_final", status: "active", state: "idle" });
    expect(
      given(create(), update({ phase: outcome })).when(update({ phase: outcome })).events,
    ).toEqual([]);
  });

  it.each(PHASES)("never block a message: %s", (phase) => {
    const { session } = given(create(), update({ phase })).when(send(1, { start: HANDED }));
    expect(session?.standing).toEqual(sessionAfter(create(), send(1, { start: HANDED })).standing);
  });

  it.each(PHASES)("never change status or state: %s", (phase) => {
    const commands = [create(), send(1, { start: HANDED }), suspendRun(1, "s1")];
    const { session } = given(...commands).when(update({ phase }));
    expect(session?.standing).toEqual(sessionAfter(...commands).standing);
  });
});

describe("finalizing", () => {
  it.each(OUTCOMES)(
    "B2 enters the final phase %s and stores the time and the summary",
    (outcome) => {
      const { events, session } = given(create(), update({ phase: "planning" })).when(
        at(LATER, finalize(outcome, "applied")),
      );
      expect(events).toEqual([
        { type: "phase.changed", at: LATER, from: "planning", to: outcome },
        { type: "session.finalized", at: LATER, outcome, summary: "applied" },
      ]);
      expect(session).toEqual({
        ...sessionAfter(create()),
        phase: outcome,
        resumeReady: false,
        phaseHistory: [
          { from: "initializing", to: "planning", at: NOON },
          { from: "planning", to: outcome, at: LATER },
        ],
        finalizedAt: LATER,
        summary: "applied",
        updatedAt: LATER,
        lastActiveAt: LATER,
      });
    },
  );

  it("B2 gives the duration: from creation to the time it was finalized", () => {
    const session = sessionAfter(create(), at(LATER, finalize("completed")));
    expect((session.finalizedAt ?? 0) - session.createdAt).toBe(MINUTE_MS);
  });

  it("B2 can follow an update that entered the final phase", () => {
    const { events } = given(create(), update({ phase: "completed" })).when(
      finalize("completed", "applied"),
    );
    expect(events).toEqual([
      { type: "session.finalized", at: NOON, outcome: "completed", summary: "applied" },
    ]);
  });

  it("B2 happens once: a second time records nothing, even with another summary", () => {
    const commands = [create(), finalize("completed", "applied")];
    expect(given(...commands).when(at(LATER, finalize("completed", "again")))).toEqual({
      events: [],
      refused: null,
      session: sessionAfter(...commands),
    });
  });

  it("B2 is refused if the outcome was another", () => {
    const { refused } = given(create(), finalize("completed")).when(finalize("failed"));
    expect(refused).toEqual({ code: "phase_final", status: "active", state: "idle" });
  });

  it("B2 keeps the session's status: it accepts the next message", () => {
    expect(given(create(), finalize("failed")).when(send(1)).refused).toBeNull();
    expect(given(create(), archive()).when(finalize("completed")).session?.standing).toEqual(
      sessionAfter(create(), archive()).standing,
    );
  });
});

describe("errors that an agent reports", () => {
  const error = { id: "e1", text: "plan was rejected" };

  it("B2 are counted, and the last one is kept", () => {
    const { events, session } = given(
      create(),
      update({ error: { id: "e0", text: "timeout" } }),
    ).when(update({ error }));
    expect(events).toEqual([{ type: "error.recorded", at: NOON, error }]);
    expect(session).toEqual({
      ...sessionAfter(create()),
      errorCount: 2,
      errorTotal: 2,
      lastError: { ...error, at: NOON },
    });
  });

  it("ruling 22: are kept with the time of the report", () => {
    const { session } = given(create()).when(update({ at: NOON + 5, error }));
    expect(session?.lastError).toEqual({ ...error, at: NOON + 5 });
  });

  it("B2 B3 no longer count after a reset; the last one stays readable", () => {
    const forgive = update({ changes: { errorCount: 0 } });
    const reported = [create(), update({ error })];
    const { events, session } = given(...reported).when(forgive);
    expect(events).toEqual([{ type: "session.updated", at: NOON, changes: { errorCount: 0 } }]);
    expect(session).toEqual({ ...sessionAfter(...reported), errorCount: 0 });
    expect(session).toMatchObject({ errorTotal: 1, lastError: error });
    expect(given(...reported, forgive).when(forgive).events).toEqual([]);
  });

  it("B2 count from one again when an update resets them and reports another", () => {
    const { session } = given(create(), update({ error })).when(
      update({ changes: { errorCount: 0 }, error: { id: "e2", text: "again" } }),
    );
    expect(session).toMatchObject({ errorCount: 1, errorTotal: 2, lastError: { id: "e2" } });
  });

  it("B2 are counted once if the report is repeated", () => {
    expect(given(create(), update({ error })).when(update({ error }))).toEqual({
      events: [],
      refused: null,
      session: sessionAfter(create(), update({ error })),
    });
  });
});

describe("updating", () => {
  it("B2 merges metadata key by key and records only changes", () => {
    const commands = [create({ metadata: { task: "T1", tags: ["a"] } })];
    const command = update({
      changes: { title: "New", metadata: { tags: ["a"], found: { issues: 2 } } },
    });
    const { events, session } = given(...commands).when(command);
    expect(events).toEqual([
      {
        type: "session.updated",
        at: NOON,
        changes: { title: "New", metadata: { found: { issues: 2 } } },
      },
    ]);
    expect(session).toEqual({
      ...sessionAfter(...commands),
      title: "New",
      metadata: { task: "T1", tags: ["a"], found: { issues: 2 } },
    });
    expect(given(...commands, command).when(command).events).toEqual([]);
  });

  it("B2 distinguishes null from a missing key", () => {
    const command = update({ changes: { metadata: { owner: null } } });
    expect(given(create()).when(command).session?.metadata).toEqual({ owner: null });
    expect(given(create(), command).when(command).events).toEqual([]);
  });

  it("handles every name of a metadata key", () => {
    const metadata: Record<string, string> = JSON.parse(
      '{"__proto__": "x", "constructor": "y"}',
    ) as Record<string, string>;
    const command = update({ changes: { metadata } });
    const { session } = given(create()).when(command);
    expect(Object.entries(session?.metadata ?? {})).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
    expect(given(create(), command).when(command).events).toEqual([]);
  });

  it("sets and clears title, provider, model and delivery, and keeps the rest", () => {
    const set = update({
      changes: { title: "New", provider: "other", model: "large", delivery: "hold" },
    });
    const { session } = given(create()).when(set);
    expect(session).toEqual({
      ...sessionAfter(create()),
      title: "New",
      provider: "other",
      model: "large",
      delivery: "hold",
    });
    const clear = update({
      changes: { title: null, provider: null, model: null, delivery: "open" },
    });
    expect(given(create(), set).when(clear).session).toEqual(sessionAfter(create()));
    expect(given(create(), set).when(set).events).toEqual([]);
  });

  it("records changes, phase and error of one update in that order", () => {
    const error = { id: "e1", text: "timeout" };
    const { events } = given(create()).when(
      update({ changes: { title: "New" }, phase: "planning", error }),
    );
    expect(events.map(({ type }) => type)).toEqual([
      "session.updated",
      "phase.changed",
      "error.recorded",
    ]);
  });
});
