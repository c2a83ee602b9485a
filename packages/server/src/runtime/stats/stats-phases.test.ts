import { describe, expect, it } from "vitest";
import { PHASE_HISTORY_KEPT, type Phase, type PhaseChange } from "../../domain/phase.ts";
import { NOON } from "../../domain/testing/commands.ts";
import type { SessionFigures } from "../../storage/figures.ts";
import { createPhaseTimes } from "./stats-phases.ts";

const ALWAYS = { from: -Infinity, to: Infinity, now: NOON + 10_000 };

function session(more: Partial<SessionFigures>): SessionFigures {
  return {
    id: "session-1",
    agentName: null,
    createdAt: NOON,
    finalized: null,
    closedAt: null,
    phase: "initializing",
    phaseHistory: [],
    errorTotal: 0,
    errorsAt: [],
    hasRuns: false,
    runs: [],
    ...more,
  };
}

/** Each change a second after the one before. */
function changes(...phases: readonly [Phase, ...Phase[]]): readonly PhaseChange[] {
  return phases.slice(1).map((to, index) => {
    const from = phases[index] ?? to;
    return { from, to, at: NOON + (index + 1) * 1000 };
  });
}

function phasesOf(figures: SessionFigures, span: Partial<typeof ALWAYS> = {}) {
  const times = createPhaseTimes({ ...ALWAYS, ...span });
  times.add(figures);
  return times
    .read()
    .map(({ phase, sessions, durationMs, errors }) => [
      phase,
      sessions,
      durationMs?.total ?? null,
      errors,
    ]);
}

describe("the phases of a session", () => {
  it("B7 last until the next, and the one it is in until now", () => {
    const phaseHistory = changes("initializing", "planning", "executing");
    expect(phasesOf(session({ phase: "executing", phaseHistory }))).toEqual([
      ["initializing", 1, 1000, 0],
      ["planning", 1, 1000, 0],
      ["executing", 1, 8000, 0],
    ]);
  });

  it("B7 last until it is finalized or put away", () => {
    const planning = {
      phase: "planning",
      phaseHistory: changes("initializing", "planning"),
    } as const;
    expect(phasesOf(session({ ...planning, closedAt: NOON + 3000 }))).toEqual([
      ["initializing", 1, 1000, 0],
      ["planning", 1, 2000, 0],
    ]);
    const finalized = session({
      phase: "completed",
      phaseHistory: changes("initializing", "planning", "completed"),
      closedAt: NOON + 2000,
    });
    expect(phasesOf(finalized)).toEqual([
      ["initializing", 1, 1000, 0],
      ["planning", 1, 1000, 0],
      ["completed", 1, null, 0],
    ]);
  });

  it("B7 count whole where they were left in the range, and by sessions wherever they touch it", () => {
    const figures = session({
      phase: "executing",
      phaseHistory: changes("initializing", "planning", "approval", "executing"),
    });
    expect(phasesOf(figures, { from: NOON + 2000, to: NOON + 3000 })).toEqual([
      ["planning", 1, 1000, 0],
      ["approval", 1, null, 0],
    ]);
    expect(phasesOf(figures, { from: NOON + 3000, to: NOON + 9000 })).toEqual([
      ["approval", 1, 1000, 0],
      ["executing", 1, null, 0],
    ]);
  });

  it("have no length where their beginning is not known", () => {
    expect(phasesOf(session({ phase: "approval" }))).toEqual([["approval", 1, null, 0]]);
    const many = Array.from({ length: PHASE_HISTORY_KEPT }, (_, index) =>
      index % 2 === 0 ? ("executing" as const) : ("validating" as const),
    );
    const phaseHistory = changes("initializing", ...many);
    const figures = session({ phase: "validating", phaseHistory, errorsAt: [NOON] });
    expect(phasesOf(figures, { now: NOON + PHASE_HISTORY_KEPT * 1000 })).toEqual([
      ["initializing", 1, null, 0],
      ["executing", 1, 100_000, 0],
      ["validating", 1, 99_000, 0],
    ]);
  });

  it("B7 have the errors of their time; one that comes with a change is of the phase that was left", () => {
    const failed = {
      provider: "demo",
      outcome: "failed",
      startedAt: NOON,
      endedAt: NOON + 2500,
      usage: null,
      wentOn: false,
    } as const;
    const figures = session({
      phase: "failed",
      phaseHistory: changes("initializing", "planning", "executing", "failed"),
      errorsAt: [NOON, NOON + 2000, NOON + 2001, NOON + 3000],
      runs: [failed, { ...failed, outcome: "interrupted" }],
    });
    expect(phasesOf(figures)).toEqual([
      ["initializing", 1, 1000, 1],
      ["planning", 1, 1000, 1],
      ["executing", 1, 1000, 3],
      ["failed", 1, null, 0],
    ]);
  });
});
