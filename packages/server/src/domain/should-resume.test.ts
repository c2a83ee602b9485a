import { describe, expect, it } from "vitest";
import { PHASES } from "./phase.ts";
import { statusOf, type Session } from "./session.ts";
import {
  FURTHER_CHECKS,
  RESUME_POLICY,
  shouldResume,
  type FurtherCheck,
  type Resumable,
  type ResumeCheck,
  type Surroundings,
} from "./should-resume.ts";
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

const FINE: Surroundings = {
  workspace: "there",
  provider: "installed",
  lease: "idle",
  budget: "none",
};

/** The checks of the session `READY`. */
function requiredChecks({ inactiveMs }: { inactiveMs: number }): readonly ResumeCheck[] {
  const phase = "investigating | planning | approval";
  return [
    { name: "session_valid", value: "active", limit: "active | suspended" } as const,
    { name: "resume_ready", value: true, limit: null } as const,
    { name: "phase", value: "approval", limit: phase } as const,
    { name: "last_activity", value: inactiveMs, limit: 1_800_000 } as const,
    { name: "errors", value: 0, limit: 3 } as const,
  ].map((check) => ({ ...check, passed: true, required: true }));
}

function further(
  name: FurtherCheck,
  more: Pick<ResumeCheck, "value" | "limit"> & Partial<ResumeCheck>,
): ResumeCheck {
  return { name, passed: true, required: false, ...more };
}

function absent(value: "missing" | "invalid"): ResumeCheck {
  return { name: "session_valid", passed: false, required: true, value, limit: null };
}

function decided(session: Resumable | "missing" | "invalid", now = NOON) {
  const { shouldResume: answer, reason } = shouldResume(session, { now, policy: RESUME_POLICY });
  return [answer, reason];
}

function judged(session: Session, now = NOON) {
  return decided({ ...session, status: statusOf(session) }, now);
}

describe("whether a session should be resumed", () => {
  it("B3 depends on five checks, each with its value and limit, and lists four more", () => {
    expect(
      shouldResume(READY, { now: NOON + 1_000, policy: RESUME_POLICY, surroundings: FINE }),
    ).toEqual({
      shouldResume: true,
      reason: "session_resumable",
      checks: [
        ...requiredChecks({ inactiveMs: 1_000 }),
        further("workspace", { value: "there", limit: "none | there" }),
        further("provider", { value: "installed", limit: "installed" }),
        further("lease", { value: "idle", limit: "idle | waiting | cut_off" }),
        further("budget", { value: "none", limit: null }),
      ],
    });
  });

  it("B3 is no if it is missing or unreadable", () => {
    expect(shouldResume("missing", { now: NOON, policy: RESUME_POLICY })).toEqual({
      shouldResume: false,
      reason: "session_not_found",
      checks: [absent("missing")],
    });
    expect(shouldResume("invalid", { now: NOON, policy: RESUME_POLICY })).toEqual({
      shouldResume: false,
      reason: "session_invalid",
      checks: [absent("invalid")],
    });
  });

  it("B3 is no if it is not ready", () => {
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

  it("B3 is yes until a millisecond before 30 minutes without activity, then no", () => {
    expect(decided(READY, NOON + 30 * MINUTE_MS - 1)).toEqual([true, "session_resumable"]);
    expect(decided(READY, NOON + 30 * MINUTE_MS)).toEqual([false, "inactive_too_long"]);
  });

  it("B3 is yes with two errors and no with three", () => {
    expect(decided({ ...READY, errorCount: 2 })).toEqual([true, "session_resumable"]);
    expect(decided({ ...READY, errorCount: 3 })).toEqual([false, "too_many_errors"]);
  });

  it("B3 takes its limits from the configuration", () => {
    const policy = { ...RESUME_POLICY, inactiveMs: 1_000, maxErrors: 1 };
    expect(shouldResume(READY, { now: NOON + 999, policy }).reason).toBe("session_resumable");
    expect(shouldResume(READY, { now: NOON + 1_000, policy }).reason).toBe("inactive_too_long");
    expect(shouldResume({ ...READY, errorCount: 1 }, { now: NOON, policy }).reason).toBe(
      "too_many_errors",
    );
  });

  it("B3 is no if the session accepts no more messages", () => {
    expect(decided({ ...READY, status: "suspended" })).toEqual([true, "session_resumable"]);
    expect(decided({ ...READY, status: "archived" })).toEqual([false, "session_archived"]);
    expect(decided({ ...READY, status: "error" })).toEqual([false, "session_failed"]);
  });

  it("B3 treats activity in the future as activity now", () => {
    const { reason, checks } = shouldResume(READY, {
      now: NOON - MINUTE_MS,
      policy: RESUME_POLICY,
    });
    expect(reason).toBe("session_resumable");
    expect(checks.slice(0, 5)).toEqual(requiredChecks({ inactiveMs: 0 }));
  });

  it("B3 gives the first of several reasons, and the result of every check", () => {
    const nothingRight = {
      status: "active",
      resumeReady: false,
      phase: "executing",
      errorCount: 9,
      lastActiveAt: 0,
    } as const;
    const { reason, checks } = shouldResume(nothingRight, { now: NOON, policy: RESUME_POLICY });
    expect(reason).toBe("not_resume_ready");
    expect(checks.slice(0, 5).map(({ passed }) => passed)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(decided({ ...nothingRight, resumeReady: true })).toEqual([false, "phase_not_resumable"]);
    expect(decided({ ...nothingRight, resumeReady: true, phase: "planning" }, NOON)).toEqual([
      false,
      "inactive_too_long",
    ]);
  });
});

describe("the surroundings of a session that should be resumed", () => {
  const USED_UP = { isLeft: false, used: "9 tokens", of: "9 tokens" };

  /** The decision and the check as a text, if it is required and if it is not. */
  function judgedWith(name: FurtherCheck, surroundings: Surroundings) {
    return [[], [name]].map((require) => {
      const policy = { ...RESUME_POLICY, require };
      const { reason, checks } = shouldResume(READY, {
        now: NOON,
        policy,
        surroundings: { ...FINE, ...surroundings },
      });
      const check = checks.find((one) => one.name === name);
      return `${reason}: ${check?.value}, ${check?.passed === true ? "passed" : "failed"}`;
    });
  }

  it.each<[FurtherCheck, Surroundings, string, string]>([
    ["workspace", { workspace: "missing" }, "missing", "workspace_missing"],
    ["provider", { provider: "not_installed" }, "not_installed", "provider_missing"],
    ["provider", { provider: "not_known" }, "not_known", "provider_missing"],
    ["lease", { lease: "running" }, "running", "session_busy"],
    ["budget", { budget: USED_UP }, "9 tokens", "budget_used_up"],
  ])("B3 fail the check of the %s, which counts if it is required", (...row) => {
    const [name, surroundings, value, reason] = row;
    expect(judgedWith(name, surroundings)).toEqual([
      `session_resumable: ${value}, failed`,
      `${reason}: ${value}, failed`,
    ]);
  });

  it.each<[FurtherCheck, Surroundings, string]>([
    ["workspace", { workspace: "none" }, "none"],
    ["lease", { lease: "waiting" }, "waiting"],
    ["lease", { lease: "cut_off" }, "cut_off"],
    ["budget", { budget: { ...USED_UP, isLeft: true } }, "9 tokens"],
  ])("B3 pass a required check of the %s: %o", (name, surroundings, value) => {
    const passed = `session_resumable: ${value}, passed`;
    expect(judgedWith(name, surroundings)).toEqual([passed, passed]);
  });

  it("B3 count as failed if they are unknown and required", () => {
    const ask = (require: readonly FurtherCheck[]) =>
      shouldResume(READY, { now: NOON, policy: { ...RESUME_POLICY, require } });
    expect(ask([]).checks.slice(5)).toEqual([
      further("workspace", { value: "unknown", limit: "none | there" }),
      further("provider", { value: "unknown", limit: "installed" }),
      further("lease", { value: "unknown", limit: "idle | waiting | cut_off" }),
      further("budget", { value: "unknown", limit: null }),
    ]);
    expect(ask([]).shouldResume).toBe(true);
    const failed = { value: "unknown", passed: false, required: true };
    expect(ask(FURTHER_CHECKS)).toMatchObject({
      shouldResume: false,
      reason: "workspace_missing",
      checks: [{}, {}, {}, {}, {}, failed, failed, failed, failed],
    });
  });

  it("B3 give a reason only if the five checks pass", () => {
    const policy = { ...RESUME_POLICY, require: FURTHER_CHECKS };
    const surroundings: Surroundings = { ...FINE, lease: "running", budget: USED_UP };
    const reasonOf = (session: Resumable) =>
      shouldResume(session, { now: NOON, policy, surroundings }).reason;
    expect(reasonOf({ ...READY, errorCount: 3 })).toBe("too_many_errors");
    expect(reasonOf(READY)).toBe("session_busy");
  });
});

describe("a session with a history", () => {
  const READY_AT_NOON = [create(), update({ phase: "approval" })];

  it("B3 is resumed if its phase allows it; failed runs count as errors", () => {
    const failing = [1, 2, 3].flatMap((n) => [send(n, { start: HANDED }), endRun(n, FAILED)]);
    expect(judged(sessionAfter(create()))).toEqual([false, "not_resume_ready"]);
    expect(judged(sessionAfter(...READY_AT_NOON))).toEqual([true, "session_resumable"]);
    expect(judged(sessionAfter(...READY_AT_NOON, ...failing))).toEqual([false, "too_many_errors"]);
  });

  it("B3 is as inactive after a crash as before it", () => {
    const crashed = sessionAfter(...READY_AT_NOON, at(NOON + 30 * MINUTE_MS, suspend("crash")));
    expect(judged(crashed, NOON + 30 * MINUTE_MS)).toEqual([false, "inactive_too_long"]);
  });
});
