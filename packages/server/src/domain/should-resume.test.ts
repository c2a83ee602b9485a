import { describe, expect, it } from "vitest";
import { PHASES } from "./phase.ts";
import { statusOf, type Session } from "./session.ts";
import { RESUME_LIMITS, shouldResume, type Resumable, type ResumeCheck } from "./should-resume.ts";
import {
  at,
  create,
  endRun,
  FAILED,
  HANDED,
  MINUTE_MS,
  NOON,
  send,
  suspend,
  update,
} from "./testing/commands.ts";
import { sessionAfter } from "./testing/given.ts";

const READY: Resumable = {
  status: "active",
  resumeReady: true,
  phase: "approval",
  errorCount: 0,
  lastActiveAt: NOON,
};

function decided(session: Resumable | "missing" | "invalid", now = NOON) {
  const { shouldResume: answer, reason } = shouldResume(session, { now, limits: RESUME_LIMITS });
  return [answer, reason];
}

function judged(session: Session, now = NOON) {
  return decided({ ...session, status: statusOf(session) }, now);
}

describe("whether a session should be resumed", () => {
  it("B3 is judged by five checks, each with its value and limit", () => {
    const checks: readonly ResumeCheck[] = [
      { name: "session_valid", passed: true, value: "active", limit: "active | suspended" },
      { name: "resume_ready", passed: true, value: true, limit: null },
      {
        name: "phase",
        passed: true,
        value: "approval",
        limit: "investigating | planning | approval",
      },
      { name: "last_activity", passed: true, value: 1_000, limit: 1_800_000 },
      { name: "errors", passed: true, value: 0, limit: 3 },
    ];
    expect(shouldResume(READY, { now: NOON + 1_000, limits: RESUME_LIMITS })).toEqual({
      shouldResume: true,
      reason: "session_resumable",
      checks,
    });
  });

  it("B3 is no when there is none, or none that can be read", () => {
    expect(shouldResume("missing", { now: NOON, limits: RESUME_LIMITS })).toEqual({
      shouldResume: false,
      reason: "session_not_found",
      checks: [{ name: "session_valid", passed: false, value: "missing", limit: null }],
    });
    expect(shouldResume("invalid", { now: NOON, limits: RESUME_LIMITS })).toEqual({
      shouldResume: false,
      reason: "session_invalid",
      checks: [{ name: "session_valid", passed: false, value: "invalid", limit: null }],
    });
  });

  it("B3 is no when it is not ready for it", () => {
    expect(decided({ ...READY, resumeReady: false })).toEqual([false, "not_resume_ready"]);
  });

  it("B3 is yes in three phases and no in the others", () => {
    const answers = PHASES.map((phase) => [phase, ...decided({ ...READY, phase })]);
    expect(answers).toEqual([
      ["initializing", false, "phase_not_resumable"],
      ["investigating", true, "session_resumable"],
      ["planning", true, "session_resumable"],
      ["approval", true, "session_resumable"],
      ["executing", false, "phase_not_resumable"],
      ["validating", false, "phase_not_resumable"],
      ["completed", false, "phase_not_resumable"],
      ["failed", false, "phase_not_resumable"],
      ["abandoned", false, "phase_not_resumable"],
    ]);
  });

  it("B3 is yes up to a millisecond before 30 minutes without activity, and no from there on", () => {
    expect(decided(READY, NOON + 30 * MINUTE_MS - 1)).toEqual([true, "session_resumable"]);
    expect(decided(READY, NOON + 30 * MINUTE_MS)).toEqual([false, "inactive_too_long"]);
  });

  it("B3 is yes with two errors and no with three", () => {
    expect(decided({ ...READY, errorCount: 2 })).toEqual([true, "session_resumable"]);
    expect(decided({ ...READY, errorCount: 3 })).toEqual([false, "too_many_errors"]);
  });

  it("B3 takes its limits from the configuration", () => {
    const limits = { inactiveMs: 1_000, maxErrors: 1 };
    expect(shouldResume(READY, { now: NOON + 999, limits }).reason).toBe("session_resumable");
    expect(shouldResume(READY, { now: NOON + 1_000, limits }).reason).toBe("inactive_too_long");
    expect(shouldResume({ ...READY, errorCount: 1 }, { now: NOON, limits }).reason).toBe(
      "too_many_errors",
    );
  });

  it("B3 is no when the session takes no messages any more", () => {
    expect(decided({ ...READY, status: "suspended" })).toEqual([true, "session_resumable"]);
    expect(decided({ ...READY, status: "archived" })).toEqual([false, "session_archived"]);
    expect(decided({ ...READY, status: "error" })).toEqual([false, "session_failed"]);
  });

  it("B3 takes a clock set back for activity just now", () => {
    const { reason, checks } = shouldResume(READY, {
      now: NOON - MINUTE_MS,
      limits: RESUME_LIMITS,
    });
    expect(reason).toBe("session_resumable");
    expect(checks[3]).toEqual({ name: "last_activity", passed: true, value: 0, limit: 1_800_000 });
  });

  it("B3 gives the first reason of several, and says of every check whether it passed", () => {
    const nothingRight = {
      status: "active",
      resumeReady: false,
      phase: "executing",
      errorCount: 9,
      lastActiveAt: 0,
    } as const;
    const { reason, checks } = shouldResume(nothingRight, { now: NOON, limits: RESUME_LIMITS });
    expect(reason).toBe("not_resume_ready");
    expect(checks.map(({ passed }) => passed)).toEqual([true, false, false, false, false]);
    expect(decided({ ...nothingRight, resumeReady: true })).toEqual([false, "phase_not_resumable"]);
    expect(decided({ ...nothingRight, resumeReady: true, phase: "planning" }, NOON)).toEqual([
      false,
      "inactive_too_long",
    ]);
  });
});

describe("a session that lived", () => {
  const READY_AT_NOON = [create(), update({ phase: "approval" })];

  it("B3 is resumed where its phase allows it, with failed runs among its errors", () => {
    const failing = [1, 2, 3].flatMap((n) => [send(n, { start: HANDED }), endRun(n, FAILED)]);
    expect(judged(sessionAfter(create()))).toEqual([false, "not_resume_ready"]);
    expect(judged(sessionAfter(...READY_AT_NOON))).toEqual([true, "session_resumable"]);
    expect(judged(sessionAfter(...READY_AT_NOON, ...failing))).toEqual([false, "too_many_errors"]);
  });

  it("B3 is as inactive after a crash as it was before it", () => {
    const crashed = sessionAfter(...READY_AT_NOON, at(NOON + 30 * MINUTE_MS, suspend("crash")));
    expect(judged(crashed, NOON + 30 * MINUTE_MS)).toEqual([false, "inactive_too_long"]);
  });
});
