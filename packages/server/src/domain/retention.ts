import { openSuspensionsOf, type Session } from "./session.ts";

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

export type RetentionVerdict = "keep" | "archive" | "remove";

/** What the daily job does with a session. What it removes has been exported first. */
export function retentionOf(
  session: Session,
  { now, policy }: { now: number; policy: RetentionPolicy },
): RetentionVerdict {
  switch (session.standing.status) {
    case "archived":
      return "keep";
    case "error":
      return now - session.standing.failedAt >= policy.errorMs ? "remove" : "keep";
    case "suspended":
      // Not since its last activity: a crash is none, and must not doom what was quiet before it.
      return now - session.updatedAt >= suspendedLimitMs(session, policy) ? "remove" : "keep";
    case "active": {
      const idleMs = now - session.lastActiveAt;
      const isDue = policy.autoArchiveMs !== null && idleMs >= policy.autoArchiveMs;
      return isDue && isAtRest(session) ? "archive" : "keep";
    }
    default:
      return session.standing satisfies never;
  }
}

/** Whether cleanup by age may take it: nobody put it away on purpose and nothing is under way. */
export function isStale(
  session: Session,
  { now, olderThanMs }: { now: number; olderThanMs: number },
): boolean {
  return (
    session.standing.status !== "archived" &&
    isAtRest(session) &&
    now - session.lastActiveAt >= olderThanMs
  );
}

function suspendedLimitMs(session: Session, policy: RetentionPolicy): number {
  const canGoOn =
    session.supportsResume || openSuspensionsOf(session).length > 0 || session.queue.length > 0;
  return canGoOn ? policy.resumableMs : policy.suspendedMs;
}

function isAtRest(session: Session): boolean {
  const { standing } = session;
  return (
    !("activity" in standing) || (standing.activity.state === "idle" && session.queue.length === 0)
  );
}
