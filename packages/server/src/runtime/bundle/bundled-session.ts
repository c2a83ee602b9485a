import {
  IDLE,
  type Idle,
  type Session,
  type Standing,
  type Waiting,
} from "../../domain/session.ts";
import { defined } from "../../domain/defined.ts";
import type { Suspension } from "../../domain/suspension.ts";
import { BadBundle, type BundleOutline } from "./read-bundle.ts";

/** The session that the lines describe. Throws `BadBundle` where they contradict each other. */
export function bundledSession(outline: BundleOutline): Session {
  checkQueue(outline);
  const standing = standingOf(outline);
  const queue = [...outline.queue.values()];
  if (queue.length > 0 && !("activity" in standing))
    throw new BadBundle(`The bundle has queued messages, but its session is ${standing.status}.`);
  const { session, isOfOld } = outline.session;
  const derived = isOfOld ? outline.earlierRuns.read(session.resumeData) : {};
  return { ...session, ...derived, repoId: null, standing, queue };
}

function checkQueue({ queue, queuedRuns }: BundleOutline): void {
  for (const runId of queue.keys())
    if (!queuedRuns.has(runId))
      throw new BadBundle(`The bundle has a queued message of run ${runId}, but no such run.`);
  for (const [runId, messageId] of queuedRuns) {
    const entry = queue.get(runId);
    if (entry === undefined)
      throw new BadBundle(`Run ${runId} is queued, but its message is not in the queue.`);
    if (entry.messageId !== messageId)
      throw new BadBundle(`Run ${runId} is queued with another message.`);
  }
}

function standingOf(outline: BundleOutline): Standing {
  const { session, standing } = outline.session;
  const activity = activityOf(outline);
  switch (standing.status) {
    case "active":
      return { status: "active", activity };
    case "suspended": {
      const { suspendedAt, suspendedReason: reason } = standing;
      return {
        status: "suspended",
        activity,
        suspendedAt: suspendedAt ?? session.updatedAt,
        reason,
      };
    }
    case "archived":
      return standing;
    case "error":
      return { status: "error", reason: standing.failure, failedAt: standing.failedAt };
    default:
      return standing satisfies never;
  }
}

function activityOf({ session, waitingRun: run, open }: BundleOutline): Idle | Waiting {
  const { waitingRun } = session;
  if (waitingRun === null) {
    if (open.length > 0) throw new BadBundle("The bundle has an open suspension without a run.");
    return IDLE;
  }
  if (run === null || run.provider === null)
    throw new BadBundle(
      `The session waits in run ${waitingRun.id}, but the bundle has no such suspended run.`,
    );
  const stray = open.find(({ runId }) => runId !== run.id);
  if (stray !== undefined)
    throw new BadBundle(`Suspension ${stray.id} is open, but does not belong to run ${run.id}.`);
  const [first, ...more] = open
    .toSorted((left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1))
    .map(toSuspension);
  if (first === undefined)
    throw new BadBundle(`Run ${run.id} is suspended, but has no open suspension.`);
  const { messageId, provider, model, settings, attempts } = run;
  return {
    state: "suspended",
    run: { ...waitingRun, messageId, provider, model, ...defined({ settings }), attempts },
    suspensions: [first, ...more],
  };
}

function toSuspension({
  id,
  kind,
  request,
  fingerprint,
  createdAt,
  expiresAt,
}: Suspension): Suspension {
  return { id, kind, request, fingerprint, createdAt, expiresAt };
}
