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
  | "too_many_errors";

export interface ResumeCheck {
  readonly name: "session_valid" | "resume_ready" | "phase" | "last_activity" | "errors";
  readonly passed: boolean;
  readonly value: boolean | number | string;
  readonly limit: number | string | null;
}

export interface ResumeDecision {
  readonly shouldResume: boolean;
  /** That of the first check that failed. */
  readonly reason: ResumeReason;
  readonly checks: readonly ResumeCheck[];
}

export interface ResumeLimits {
  readonly inactiveMs: number;
  readonly maxErrors: number;
}

export const RESUME_LIMITS: ResumeLimits = { inactiveMs: 30 * 60_000, maxErrors: 3 };

/** Just what the decision needs of a session, so that it can be read without the rest. */
export type Resumable = Pick<Session, "resumeReady" | "errorCount" | "lastActiveAt"> & {
  readonly status: Status;
  readonly phase: Phase;
};

/** Whether an orchestrator should take a session up again instead of starting a new one. */
export function shouldResume(
  session: Resumable | "missing" | "invalid",
  { now, limits }: { now: number; limits: ResumeLimits },
): ResumeDecision {
  if (session === "missing" || session === "invalid") {
    const reason = session === "missing" ? "session_not_found" : "session_invalid";
    const check: ResumeCheck = {
      name: "session_valid",
      passed: false,
      value: session,
      limit: null,
    };
    return { shouldResume: false, reason, checks: [check] };
  }
  // A clock set back makes activity look like the future; that is as recent as can be.
  const inactiveMs = Math.max(0, now - session.lastActiveAt);
  const judged: readonly [ResumeCheck, ResumeReason][] = [
    [
      {
        name: "session_valid",
        passed: STATUS_RULES[session.status].takesMessages,
        value: session.status,
        limit: "active | suspended",
      },
      session.status === "archived" ? "session_archived" : "session_failed",
    ],
    [
      {
        name: "resume_ready",
        passed: session.resumeReady,
        value: session.resumeReady,
        limit: null,
      },
      "not_resume_ready",
    ],
    [
      {
        name: "phase",
        passed: isResumable(session.phase),
        value: session.phase,
        limit: "investigating | planning | approval",
      },
      "phase_not_resumable",
    ],
    [
      {
        name: "last_activity",
        passed: inactiveMs < limits.inactiveMs,
        value: inactiveMs,
        limit: limits.inactiveMs,
      },
      "inactive_too_long",
    ],
    [
      {
        name: "errors",
        passed: session.errorCount < limits.maxErrors,
        value: session.errorCount,
        limit: limits.maxErrors,
      },
      "too_many_errors",
    ],
  ];
  const failed = judged.find(([check]) => !check.passed);
  return {
    shouldResume: failed === undefined,
    reason: failed === undefined ? "session_resumable" : failed[1],
    checks: judged.map(([check]) => check),
  };
}
