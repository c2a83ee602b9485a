import {
  IDLE,
  type Idle,
  type Session,
  type Standing,
  type Waiting,
} from "../../domain/session.ts";
import type { Suspension } from "../../domain/suspension.ts";
import { BadBundle, type BundleOutline } from "./read-bundle.ts";

/** The session that the lines tell of. Throws `BadBundle` where they contradict each other. */
export function bundledSession(outline: BundleOutline): Session {
  checkQueue(outline);
  const standing = standingOf(outline);
  const queue = [...outline.queue.values()];
  if (queue.length > 0 && !("activity" in standing))
    throw new BadBundle(`The bundle has a queue, and its session is ${standing.status}.`);
  const { session, isOfOld } = outline.session;
  const known = isOfOld ? outline.earlierRuns.read(session.resumeData) : {};
  return { ...session, ...known, repoId: null, standing, queue };
}

function checkQueue({ queue, queuedRuns }: BundleOutline): void {
  for (const runId of queue.keys())
    if (!queuedRuns.has(runId))
      throw new BadBundle(`The bundle has no queued run ${runId} for its queue.`);
  for (const [runId, messageId] of queuedRuns) {
    const entry = queue.get(runId);
    if (entry === undefined)
      throw new BadBundle(`Run ${runId} of the bundle is queued, unlike its place in the queue.`);
    if (entry.messageId !== messageId)
      throw new BadBundle(`Run ${runId} of the bundle is queued with another message.`);
  }
}

function standingOf(outline: BundleOutline): Standing {
  const { failure, suspended, archivedAt } = outline.session;
  const activity = activityOf(outline);
  if (failure !== null) return { status: "error", ...failure };
  if (archivedAt !== null) return { status: "archived", archivedAt };
  if (suspended !== null) return { status: "suspended", activity, ...suspended };
  return { status: "active", activity };
}

function activityOf({ session, waitingRun: run, open }: BundleOutline): Idle | Waiting {
  const { waitingRun } = session;
  if (waitingRun === null) {
    if (open.length > 0) throw new BadBundle("The bundle has an open suspension without a run.");
    return IDLE;
  }
  if (run === null || run.provider === null)
    throw new BadBundle(`Run ${waitingRun.id} of the bundle does not wait as its session says.`);
  const stray = open.find(({ runId }) => runId !== run.id);
  if (stray !== undefined)
    throw new BadBundle(`Suspension ${stray.id} of the bundle is open, and not of run ${run.id}.`);
  const [first, ...more] = open
    .toSorted((left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1))
    .map(toSuspension);
  if (first === undefined) throw new BadBundle(`Run ${run.id} of the bundle waits for nothing.`);
  const { messageId, provider, model, attempts } = run;
  return {
    state: "suspended",
    run: { ...waitingRun, messageId, provider, model, attempts },
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
