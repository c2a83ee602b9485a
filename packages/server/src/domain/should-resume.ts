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
      : [...judgeSession(session, now, policy), ...judgeSurroundings(surroundings, policy.require)];
  const failed = verdicts.find(({ required, passed }) => required && !passed);
  return {
    shouldResume: failed === undefined,
    reason: failed === undefined ? "session_resumable" : failed.reason,
    checks: verdicts.map(({ reason: _, ...check }) => check),
  };
}

/** A check with the reason for the decision if it fails. */
type Verdict = ResumeCheck & { readonly reason: ResumeReason };

function judgeAbsence(value: "missing" | "invalid"): Verdict {
  const reason = value === "missing" ? "session_not_found" : "session_invalid";
  return { name: "session_valid", passed: false, required: true, value, limit: null, reason };
}

function judgeSession(
  session: Resumable,
  now: number,
  { inactiveMs: limitMs, maxErrors }: ResumePolicy,
): readonly Verdict[] {
  // If the clock was set back, the last activity may be in the future.
  const inactiveMs = Math.max(0, now - session.lastActiveAt);
  return [
    {
      name: "session_valid",
      passed: STATUS_RULES[session.status].takesMessages,
      required: true,
      value: session.status,
      limit: "active | suspended",
      reason: session.status === "archived" ? "session_archived" : "session_failed",
    },
    {
      name: "resume_ready",
      passed: session.resumeReady,
      required: true,
      value: session.resumeReady,
      limit: null,
      reason: "not_resume_ready",
    },
    {
      name: "phase",
      passed: isResumable(session.phase),
      required: true,
      value: session.phase,
      limit: "investigating | planning | approval",
      reason: "phase_not_resumable",
    },
    {
      name: "last_activity",
      passed: inactiveMs < limitMs,
      required: true,
      value: inactiveMs,
      limit: limitMs,
      reason: "inactive_too_long",
    },
    {
      name: "errors",
      passed: session.errorCount < maxErrors,
      required: true,
      value: session.errorCount,
      limit: maxErrors,
      reason: "too_many_errors",
    },
  ];
}

function judgeSurroundings(
  { workspace, provider, lease, budget }: Surroundings,
  required: readonly FurtherCheck[],
): readonly Verdict[] {
  const judge = (
    name: FurtherCheck,
    reason: ResumeReason,
    check: Pick<ResumeCheck, "passed" | "limit"> & { readonly value: string | undefined },
  ): Verdict => {
    const { value = "unknown", limit } = check;
    const isRequired = required.includes(name);
    // An unknown value passes, unless the caller requires the check.
    const passed = check.value === undefined ? !isRequired : check.passed;
    return { name, passed, required: isRequired, value, limit, reason };
  };
  const spent = typeof budget === "object" ? budget : null;
  return [
    judge("workspace", "workspace_missing", {
      passed: workspace !== "missing",
      value: workspace,
      limit: "none | there",
    }),
    judge("provider", "provider_missing", {
      passed: provider === "installed",
      value: provider,
      limit: "installed",
    }),
    judge("lease", "session_busy", {
      passed: lease !== "running",
      value: lease,
      limit: "idle | waiting | cut_off",
    }),
    judge("budget", "budget_used_up", {
      passed: spent?.isLeft !== false,
      value: typeof budget === "object" ? budget.used : budget,
      limit: spent?.of ?? null,
    }),
  ];
}
