import { openSuspensionsOf, type Session } from "./session.ts";
import type { Status } from "./status.ts";

export interface RetentionPolicy {
  readonly errorMs: number;
  readonly suspendedMs: number;
  readonly resumableMs: number;
  /** Off when null: only a user archives. */
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

/** Nothing is removed for this long after the database was migrated, so that people can look at it first. */
export const KEPT_AFTER_MIGRATION_MS = DAY_MS;

export interface RetentionRules {
  readonly policy: RetentionPolicy;
  /** When the database was last migrated. */
  readonly migratedAt: number;
}

/** The parts of a session that retention goes by. */
export interface RetainedSession {
  readonly status: Status;
  readonly suspendedAt: number | null;
  /** Null while only the server is away: such a session is never removed. */
  readonly suspendedReason: string | null;
  readonly failedAt: number | null;
  readonly lastActiveAt: number;
  /** Its agent can resume it, or something waits in it: it is kept for longer. */
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

/** When retention removes the session, if nothing happens to it before; null when it never does. */
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

/** What the daily job does with a session. A session that it removes has been exported first. */
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
