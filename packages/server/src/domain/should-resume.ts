import { isResumable, type Phase } from "./phase.ts";
import type { Session } from "./session.ts";
import { STATUS_RULES, type Status } from "./status.ts";

export type ResumeReason =
  | "session_resumable"
  | "session_not_found"
  | "session_invalid"
  | "session_archived"
  | "session_failed"
  | "not_resume_ready"
  | "phase_not_resumable"
  | "inactive_too_long"
  | "too_many_errors"
  | "workspace_missing"
  | "provider_missing"
  | "session_busy"
  | "budget_used_up";

/** Checks of the session's surroundings. They are always listed, and decide only if the caller requires them. */
export const FURTHER_CHECKS = ["workspace", "provider", "lease", "budget"] as const;
export type FurtherCheck = (typeof FURTHER_CHECKS)[number];

export interface ResumeCheck {
  readonly name:
    | "session_valid"
    | "resume_ready"
    | "phase"
    | "last_activity"
    | "errors"
    | FurtherCheck;
  readonly passed: boolean;
  /** Whether the decision depends on it. */
  readonly required: boolean;
  readonly value: boolean | number | string;
  readonly limit: number | string | null;
}

export interface ResumeDecision {
  readonly shouldResume: boolean;
  /** The reason of the first required check that failed. */
  readonly reason: ResumeReason;
  readonly checks: readonly ResumeCheck[];
}

export interface ResumePolicy {
  readonly inactiveMs: number;
  readonly maxErrors: number;
  readonly require: readonly FurtherCheck[];
}

export const RESUME_POLICY: ResumePolicy = { inactiveMs: 30 * 60_000, maxErrors: 3, require: [] };

/** The parts of a session that the decision needs. */
export type Resumable = Pick<Session, "resumeReady" | "errorCount" | "lastActiveAt"> & {
  readonly status: Status;
  readonly phase: Phase;
};

/** The surroundings of a session. Parts that were not examined are absent. */
export interface Surroundings {
  readonly workspace?: "none" | "there" | "missing";
  readonly provider?: "installed" | "not_installed" | "not_known";
  /** `waiting`: a run waits for an answer. `cut_off`: the node of the current run is dead. */
  readonly lease?: "idle" | "waiting" | "running" | "cut_off";
  /** `used` and `of` are texts for people. */
  readonly budget?:
    | "none"
    | { readonly isLeft: boolean; readonly used: string; readonly of: string };
}

/** Whether an orchestrator should resume a session instead of creating a new one. */
export function shouldResume(
  session: Resumable | "missing" | "invalid",
  {
    now,
    policy,
    surroundings = {},
  }: { now: number; policy: ResumePolicy; surroundings?: Surroundings },
): ResumeDecision {
  const verdicts =
    session === "missing" || session === "invalid"
      ? [judgeAbsence(session)]
      : [
          ...judgeSession(session, { now, policy }),
          ...judgeSurroundings(surroundings, policy.require),
        ];
  const failed = verdicts.find(({ check }) => check.required && !check.passed);
  return {
    shouldResume: failed === undefined,
    reason: failed === undefined ? "session_resumable" : failed.reason,
    checks: verdicts.map(({ check }) => check),
  };
}

interface Verdict {
  readonly check: ResumeCheck;
  /** The reason if the check fails. */
  readonly reason: ResumeReason;
}

function judgeAbsence(value: "missing" | "invalid"): Verdict {
  return {
    check: { name: "session_valid", passed: false, required: true, value, limit: null },
    reason: value === "missing" ? "session_not_found" : "session_invalid",
  };
}

function judgeSession(
  session: Resumable,
  { now, policy }: { now: number; policy: ResumePolicy },
): readonly Verdict[] {
  // If the clock was set back, the last activity may be in the future.
  const inactiveMs = Math.max(0, now - session.lastActiveAt);
  const judge = (reason: ResumeReason, check: Omit<ResumeCheck, "required">): Verdict => ({
    check: { ...check, required: true },
    reason,
  });
  return [
    judge(session.status === "archived" ? "session_archived" : "session_failed", {
      name: "session_valid",
      passed: STATUS_RULES[session.status].takesMessages,
      value: session.status,
      limit: "active | suspended",
    }),
    judge("not_resume_ready", {
      name: "resume_ready",
      passed: session.resumeReady,
      value: session.resumeReady,
      limit: null,
    }),
    judge("phase_not_resumable", {
      name: "phase",
      passed: isResumable(session.phase),
      value: session.phase,
      limit: "investigating | planning | approval",
    }),
    judge("inactive_too_long", {
      name: "last_activity",
      passed: inactiveMs < policy.inactiveMs,
      value: inactiveMs,
      limit: policy.inactiveMs,
    }),
    judge("too_many_errors", {
      name: "errors",
      passed: session.errorCount < policy.maxErrors,
      value: session.errorCount,
      limit: policy.maxErrors,
    }),
  ];
}

function judgeSurroundings(
  { workspace, provider, lease, budget }: Surroundings,
  required: readonly FurtherCheck[],
): readonly Verdict[] {
  const judge = (
    name: FurtherCheck,
    {
      reason,
      fails,
      value,
      limit,
    }: Omit<ResumeCheck, "name" | "passed" | "required"> & {
      readonly reason: ResumeReason;
      readonly fails: boolean;
    },
  ): Verdict => {
    const isRequired = required.includes(name);
    // An unknown value passes, unless the caller requires the check.
    const passed = value === "unknown" ? !isRequired : !fails;
    return { check: { name, passed, required: isRequired, value, limit }, reason };
  };
  const spent = typeof budget === "object" ? budget : null;
  return [
    judge("workspace", {
      reason: "workspace_missing",
      fails: workspace === "missing",
      value: workspace ?? "unknown",
      limit: "none | there",
    }),
    judge("provider", {
      reason: "provider_missing",
      fails: provider !== "installed",
      value: provider ?? "unknown",
      limit: "installed",
    }),
    judge("lease", {
      reason: "session_busy",
      fails: lease === "running",
      value: lease ?? "unknown",
      limit: "idle | waiting | cut_off",
    }),
    judge("budget", {
      reason: "budget_used_up",
      fails: spent !== null && !spent.isLeft,
      value: typeof budget === "object" ? budget.used : (budget ?? "unknown"),
      limit: spent?.of ?? null,
    }),
  ];
}
