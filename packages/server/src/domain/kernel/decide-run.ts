import type { CommandOf } from "./command.ts";
import { accept, NOTHING_TO_DO, refuse, refuseIfFinal, type Decision } from "./decision.ts";
import type { SessionEvent } from "./event.ts";
import { defined } from "../defined.ts";
import type { CurrentRun } from "../run.ts";
import { cancelCurrentRun, dropSteering, endCurrentRun, requeueOf, startOf } from "./run-events.ts";
import { activityOf, currentRunOf, openSuspensionsOf, stateOf, type Session } from "../session.ts";
import type { Closing } from "../suspension.ts";

export function decideStartRun(session: Session, command: CommandOf<"start-run">): Decision {
  if (currentRunOf(session)?.id === command.runId) return NOTHING_TO_DO;
  const refusal = refuseIfFinal(session);
  if (refusal !== null) return refusal;
  if (stateOf(session) !== "idle") {
    return refuse(session, "session_busy", "Another run is in progress.");
  }
  if (session.rewind?.status === "restoring") {
    return refuse(session, "session_busy", "The session is just being rewound.");
  }
  if (session.delivery !== "open") {
    return refuse(session, "delivery_held", "The session's delivery policy holds messages back.");
  }
  const [next] = session.queue;
  if (next?.runId !== command.runId) {
    return refuse(session, "run_not_next", "The run is not at the head of the queue.");
  }
  const resumed: SessionEvent[] =
    session.standing.status === "suspended" ? [{ type: "session.resumed", at: command.at }] : [];
  return accept(...resumed, startOf(next, command));
}

export function decideHandRun(session: Session, command: CommandOf<"hand-run">): Decision {
  const { at, runId, memory } = command;
  return withRunning(session, runId, (run) =>
    run.handed ? NOTHING_TO_DO : accept({ type: "run.handed", at, runId, ...defined({ memory }) }),
  );
}

export function decideRetryRun(session: Session, command: CommandOf<"retry-run">): Decision {
  return withRunning(session, command.runId, (run) =>
    run.handed
      ? accept({ type: "run.retried", at: command.at, runId: run.id, error: command.error })
      : NOTHING_TO_DO,
  );
}

export function decideRequeueRun(
  session: Session,
  { at, runId }: CommandOf<"requeue-run">,
): Decision {
  return withRunning(session, runId, (run) =>
    accept(...dropSteering(session, at), requeueOf(run, at)),
  );
}

export function decideSuspendRun(session: Session, command: CommandOf<"suspend-run">): Decision {
  const { suspension } = command;
  if (openSuspensionsOf(session).some((open) => open.id === suspension.id)) return NOTHING_TO_DO;
  const run = currentRunOf(session);
  if (run?.id !== command.runId || session.standing.status !== "active")
    return refuseNotCurrent(session);
  const { at } = command;
  // Suspensions are sorted by time. A clock that is set back must not change their order.
  const ordered = { ...suspension, createdAt: Math.max(suspension.createdAt, at) };
  return accept({ type: "run.suspended", at, runId: run.id, suspension: ordered });
}

export function decideAnswer(session: Session, command: CommandOf<"answer">): Decision {
  const { answer, by } = command;
  return closeSuspension(session, { ...command, closing: { how: "answered", answer, by } });
}

export function decideCloseSuspension(
  session: Session,
  command: CommandOf<"close-suspension">,
): Decision {
  return closeSuspension(session, { ...command, closing: { how: command.how } });
}

function closeSuspension(
  session: Session,
  { at, suspensionId, closing }: { at: number; suspensionId: string; closing: Closing },
): Decision {
  const activity = activityOf(session);
  if (
    activity.state !== "suspended" ||
    !activity.suspensions.some((open) => open.id === suspensionId)
  ) {
    return refuse(
      session,
      "suspension_not_open",
      "No open suspension has this ID: it was answered or withdrawn, or it expired.",
    );
  }
  const events: SessionEvent[] = [];
  if (session.standing.status === "suspended") events.push({ type: "session.resumed", at });
  events.push({ type: "suspension.closed", at, suspensionId, closing });
  if (activity.suspensions.length === 1) {
    events.push({ type: "run.resumed", at, runId: activity.run.id });
  }
  return accept(...events);
}

export function decideEndRun(session: Session, command: CommandOf<"end-run">): Decision {
  const run = currentRunOf(session);
  if (run?.id !== command.runId) return refuseNotCurrent(session);
  const { at, result, usage, unusedAnswers = [], line } = command;
  const unused = unusedAnswers.length > 0 ? { unusedAnswers } : {};
  return accept(...endCurrentRun(session, { at, result, usage, ...unused, ...defined({ line }) }));
}

export function decideCancel(session: Session, command: CommandOf<"cancel">): Decision {
  const run = currentRunOf(session);
  if (run === null) {
    const isQueued = session.queue.some((entry) => entry.runId === command.runId);
    return refuseIfFinal(session) ?? (isQueued ? refuseNotCurrent(session) : NOTHING_TO_DO);
  }
  if (command.runId !== undefined && command.runId !== run.id) return refuseNotCurrent(session);
  return accept(...cancelCurrentRun(session, command.at, command.reason));
}

export function decideRelease(session: Session, { at, reason }: CommandOf<"release">): Decision {
  if (stateOf(session) !== "suspended") {
    return refuse(session, "session_not_suspended", "The session does not wait for anything.");
  }
  return accept(...cancelCurrentRun(session, at, reason));
}

function withRunning(
  session: Session,
  runId: string,
  then: (run: CurrentRun) => Decision,
): Decision {
  const activity = activityOf(session);
  if (activity.state === "idle" || activity.run.id !== runId) return refuseNotCurrent(session);
  if (activity.state === "suspended") {
    return refuse(session, "run_not_running", "The run waits for an answer.");
  }
  return then(activity.run);
}

function refuseNotCurrent(session: Session): Decision {
  return refuse(
    session,
    "run_not_current",
    "The run is not the current run of the session: it ended or has not started.",
  );
}
