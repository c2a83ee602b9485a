import type { Command, Create, Update } from "./command.ts";
import { accept, NOTHING_TO_DO, refuse, refuseIfFinal, type Decision } from "./decision.ts";
import type { SessionChanges, SessionEvent } from "./event.ts";
import { sameJson, type Json } from "../json.ts";
import { isFinal } from "../phase.ts";
import { resumePointOf } from "../resume-point.ts";
import { endCurrentRun, requeueOf } from "./run-events.ts";
import { activityOf, type Session } from "../session.ts";

type Of<Type extends Command["type"]> = Extract<Command, { type: Type }>;

export function decideCreate(session: Session | null, command: Create): Decision {
  if (session !== null)
    return refuse(session, "session_exists", "A session with this id exists already.");
  return accept({ ...command, type: "session.created" });
}

export function decideUpdate(session: Session, command: Update): Decision {
  const { at, phase, error } = command;
  const changes = changesIn(session, command.changes);
  const events: SessionEvent[] = [];
  if (Object.keys(changes).length > 0) events.push({ type: "session.updated", at, changes });
  if (phase !== undefined && phase !== session.phase) {
    if (isFinal(session.phase)) {
      return refuse(
        session,
        "phase_final",
        `The session was finalized as ${session.phase}; its phase stays.`,
      );
    }
    events.push({ type: "phase.changed", at, from: session.phase, to: phase });
  }
  if (error !== undefined && error.id !== session.lastError?.id) {
    events.push({ type: "error.recorded", at, error });
  }
  const isNews = events.length === 0 && at > session.lastActiveAt;
  if (isNews && isHeartbeat(command)) events.push({ type: "session.touched", at });
  return accept(...events);
}

/** A phase or metadata were reported, even if they are what is stored. */
function isHeartbeat({ phase, changes }: Update): boolean {
  return phase !== undefined || changes.metadata !== undefined;
}

/** What of the wish differs from what is stored, so that a repeated update records nothing. */
function changesIn(session: Session, wish: SessionChanges): SessionChanges {
  const differing = Object.entries(wish.metadata ?? {}).filter(
    ([key, value]) =>
      !Object.hasOwn(session.metadata, key) || !sameJson(session.metadata[key] ?? null, value),
  );
  return {
    ...(wish.title !== undefined && wish.title !== session.title && { title: wish.title }),
    ...(wish.delivery !== undefined &&
      wish.delivery !== session.delivery && { delivery: wish.delivery }),
    ...(wish.provider !== undefined &&
      wish.provider !== session.provider && { provider: wish.provider }),
    ...(wish.model !== undefined && wish.model !== session.model && { model: wish.model }),
    ...(wish.errorCount === 0 && session.errorCount > 0 && { errorCount: 0 }),
    ...(differing.length > 0 && { metadata: Object.fromEntries<Json>(differing) }),
  };
}

export function decideRecordResume(session: Session, command: Of<"record-resume">): Decision {
  const { at, provider, supportsResume, resumeData } = command;
  const before = resumePointOf(session.resumeData, provider)?.data ?? null;
  if (supportsResume === session.supportsResume && sameJson(resumeData, before)) {
    return NOTHING_TO_DO;
  }
  return accept({ type: "resume.recorded", at, provider, supportsResume, resumeData });
}

/**
 * The server goes away under the session, or died. What waits goes on waiting; a cut run is not repeated.
 * A session without a repository runs no agent here: nothing is stopped under it.
 */
export function decideSuspend(session: Session, { at, cause }: Of<"suspend">): Decision {
  if (session.standing.status !== "active") return NOTHING_TO_DO;
  const activity = activityOf(session);
  const events: SessionEvent[] = [];
  if (activity.state === "running") {
    const { run } = activity;
    events.push(
      run.handed
        ? {
            type: "run.ended",
            at,
            runId: run.id,
            result: {
              outcome: "interrupted",
              reason:
                cause === "crash" ? "the server stopped unexpectedly" : "the server was shut down",
            },
            usage: null,
          }
        : requeueOf(run, at),
    );
  }
  if (session.repoId === null) return accept(...events);
  return accept(...events, { type: "session.suspended", at, cause });
}

/** The server is back: a session that can go on is active again, one that cannot says why. */
export function decideComeBack(session: Session, { at, obstacle }: Of<"come-back">): Decision {
  const { standing } = session;
  if (standing.status !== "suspended") {
    if (standing.status !== "active" || standing.activity.state === "running" || obstacle === null)
      return NOTHING_TO_DO;
    return accept({ type: "session.suspended", at, cause: "unavailable", reason: obstacle });
  }
  if (obstacle === null) return accept({ type: "session.resumed", at, by: "server" });
  if (obstacle === standing.reason) return NOTHING_TO_DO;
  return accept({ type: "session.suspended", at, cause: "unavailable", reason: obstacle });
}

export function decideResume(session: Session, { at }: Of<"resume">): Decision {
  const refusal = refuseIfFinal(session);
  if (refusal !== null) return refusal;
  return session.standing.status === "active"
    ? NOTHING_TO_DO
    : accept({ type: "session.resumed", at });
}

export function decideArchive(session: Session, { at }: Of<"archive">): Decision {
  if (session.standing.status === "archived") return NOTHING_TO_DO;
  const refusal = refuseIfFinal(session);
  if (refusal !== null) return refusal;
  return accept(...endAllWork(session, at, "the session was archived"), {
    type: "session.archived",
    at,
  });
}

export function decideFail(session: Session, { at, reason }: Of<"fail">): Decision {
  if (session.standing.status === "error") return NOTHING_TO_DO;
  const refusal = refuseIfFinal(session);
  if (refusal !== null) return refusal;
  return accept(...endAllWork(session, at, `the session failed: ${reason}`), {
    type: "session.failed",
    at,
    reason,
  });
}

export function decideFinalize(session: Session, command: Of<"finalize">): Decision {
  const { at, outcome, summary } = command;
  const finalized: SessionEvent = { type: "session.finalized", at, outcome, summary };
  if (session.phase === outcome)
    return session.finalizedAt === null ? accept(finalized) : NOTHING_TO_DO;
  if (isFinal(session.phase)) {
    return refuse(session, "phase_final", `The session was finalized as ${session.phase} already.`);
  }
  return accept({ type: "phase.changed", at, from: session.phase, to: outcome }, finalized);
}

export function decideDelete(session: Session, { at }: Of<"delete">): Decision {
  const reason = "the session was deleted";
  return accept(
    ...endCurrentRun(session, { at, result: { outcome: "cancelled", reason }, usage: null }),
    {
      type: "session.deleted",
      at,
    },
  );
}

function endAllWork(session: Session, at: number, reason: string): SessionEvent[] {
  const ended = endCurrentRun(session, {
    at,
    result: { outcome: "cancelled", reason },
    usage: null,
  });
  const undelivered = session.queue.map(({ messageId, runId }): SessionEvent => ({
    type: "message.undelivered",
    at,
    messageId,
    runId,
  }));
  return [...ended, ...undelivered];
}
