import {
  IDLE,
  type Idle,
  type Session,
  type Standing,
  type Waiting,
} from "../../domain/session.ts";
import type { Suspension } from "../../domain/suspension.ts";
import { BadBundle, type Bundle } from "./read-bundle.ts";

/** The session that the lines tell of. Throws `BadBundle` where they contradict each other. */
export function bundledSession(bundle: Bundle): Session {
  const { session, queued } = bundle;
  checkRuns(bundle);
  checkSuspensions(bundle);
  const standing = standingOf(bundle);
  const queue = [...queued.values()].map(({ entry }) => entry);
  if (queue.length > 0 && !("activity" in standing))
    throw new BadBundle(`The bundle has a queue, and its session is ${standing.status}.`);
  return { ...session.session, repoId: null, standing, queue };
}

function standingOf(bundle: Bundle): Standing {
  const { status, failure, archivedAt } = bundle.session;
  if (failure !== null) return { status: "error", ...failure };
  if (archivedAt !== null) return { status: "archived", archivedAt };
  return { status: status === "active" ? status : "suspended", activity: activityOf(bundle) };
}

function activityOf({ session, runs, suspensions }: Bundle): Idle | Waiting {
  const open = [...suspensions.values()]
    .filter(({ status }) => status === "open")
    .toSorted((left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1));
  const { waitingRun } = session;
  if (waitingRun === null) {
    if (open.length > 0) throw new BadBundle("The bundle has an open suspension without a run.");
    return IDLE;
  }
  const run = runs.get(waitingRun.id);
  if (run === undefined || run.status !== "suspended" || run.provider === null)
    throw new BadBundle(`Run ${waitingRun.id} of the bundle does not wait as its session says.`);
  if (open.some(({ runId }) => runId !== run.id))
    throw new BadBundle(`The bundle has an open suspension that is not of run ${run.id}.`);
  const [first, ...more] = open.map(toSuspension);
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

function checkRuns({ session, runs, queued }: Bundle): void {
  const messageOf = new Map(
    [...queued.values()].map(({ entry }) => [entry.runId, entry.messageId]),
  );
  if (messageOf.size !== queued.size)
    throw new BadBundle("The bundle has two queued messages for one run.");
  for (const { id, status, messageId, endedAt } of runs.values()) {
    const isOpen = status === "queued" || status === "suspended";
    if (status === "running" || isOpen !== (endedAt === null))
      throw new BadBundle(
        `Run ${id} of the bundle is ${status}, and has ${endedAt === null ? "no" : "an"} end.`,
      );
    if (status === "suspended" && session.waitingRun?.id !== id)
      throw new BadBundle(`Run ${id} of the bundle waits, and its session does not.`);
    if ((status === "queued") !== messageOf.has(id))
      throw new BadBundle(`Run ${id} of the bundle is ${status}, unlike its place in the queue.`);
    if (status === "queued" && messageOf.get(id) !== messageId)
      throw new BadBundle(`Run ${id} of the bundle is queued with another message.`);
  }
  for (const runId of messageOf.keys())
    if (!runs.has(runId)) throw new BadBundle(`The bundle has no run ${runId} for its queue.`);
}

function checkSuspensions({ runs, suspensions }: Bundle): void {
  for (const { id, runId, status, closedAt } of suspensions.values()) {
    if (!runs.has(runId))
      throw new BadBundle(`The bundle has no run ${runId} for suspension ${id}.`);
    if ((status === "open") !== (closedAt === null))
      throw new BadBundle(`Suspension ${id} of the bundle is ${status}, unlike its end.`);
  }
}
