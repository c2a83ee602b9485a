import { openSuspensionsOf, type Session } from "./session.ts";
import type { Status } from "./status.ts";

export interface RetentionPolicy {
  readonly errorMs: number;
  readonly suspendedMs: number;
  readonly resumableMs: number;
  /** Null if only users archive sessions. */
  readonly autoArchiveMs: number | null;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const RETENTION_POLICY: RetentionPolicy = {
  errorMs: 24 * HOUR_MS,
  suspendedMs: 7 * DAY_MS,
  resumableMs: 30 * DAY_MS,
  autoArchiveMs: null,
};

/** After a migration of the database nothing is removed for this long, so that people can check it. */
export const KEPT_AFTER_MIGRATION_MS = DAY_MS;

export interface RetentionRules {
  readonly policy: RetentionPolicy;
  /** When the database was last migrated. */
  readonly migratedAt: number;
}

/** The parts of a session that retention depends on. */
export interface RetainedSession {
  readonly status: Status;
  readonly suspendedAt: number | null;
  /** Null if only the server stopped: then the session is never removed. */
  readonly suspendedReason: string | null;
  readonly failedAt: number | null;
  readonly lastActiveAt: number;
  /** Its agent can resume it, or it has open suspensions or queued messages. It is kept longer. */
  readonly isResumable: boolean;
}

export function retainedOf(session: Session): RetainedSession {
  const { standing } = session;
  return {
    status: standing.status,
    suspendedAt: standing.status === "suspended" ? standing.suspendedAt : null,
    suspendedReason: standing.status === "suspended" ? standing.reason : null,
    failedAt: standing.status === "error" ? standing.failedAt : null,
    lastActiveAt: session.lastActiveAt,
    isResumable:
      session.supportsResume || openSuspensionsOf(session).length > 0 || session.queue.length > 0,
  };
}

/** When retention removes the session if it stays inactive; null if it never does. */
export function removeAtOf(
  session: RetainedSession,
  { policy, migratedAt }: RetentionRules,
): number | null {
  const notBefore = migratedAt + KEPT_AFTER_MIGRATION_MS;
  switch (session.status) {
    case "active":
    case "archived":
      return null;
    case "error":
      return Math.max((session.failedAt ?? session.lastActiveAt) + policy.errorMs, notBefore);
    case "suspended": {
      if (session.suspendedReason === null) return null;
      const keptMs = session.isResumable ? policy.resumableMs : policy.suspendedMs;
      const since = Math.max(session.suspendedAt ?? 0, session.lastActiveAt);
      return Math.max(since + keptMs, notBefore);
    }
    default:
      return session.status satisfies never;
  }
}

export type RetentionVerdict = "keep" | "archive" | "remove";

/** The action of the daily job. The job exports a session before it removes it. */
export function retentionOf(
  session: Session,
  { now, ...rules }: { readonly now: number } & RetentionRules,
): RetentionVerdict {
  const removeAt = removeAtOf(retainedOf(session), rules);
  if (removeAt !== null && now >= removeAt) return "remove";
  const { autoArchiveMs } = rules.policy;
  const isDue = autoArchiveMs !== null && now - session.lastActiveAt >= autoArchiveMs;
  return isDue && session.standing.status === "active" && isAtRest(session) ? "archive" : "keep";
}

function isAtRest({ standing, queue }: Session): boolean {
  return "activity" in standing && standing.activity.state === "idle" && queue.length === 0;
}
