import { defined } from "../defined.ts";
import { withSettings } from "../settings/agent-settings.ts";
import type { EventOf, SessionEvent } from "./event.ts";
import { isResumable, PHASE_HISTORY_KEPT } from "../phase.ts";
import { firstTurn, turnAfter } from "./last-turn.ts";
import { NO_CONNECTIONS } from "../mcp-server.ts";
import type { CurrentRun } from "../run.ts";
import { parseResumePoints, withResumeData, withSeenRun, withTitleOf } from "../resume-point.ts";
import {
  activityOf,
  currentRunOf,
  IDLE,
  openSuspensionsOf,
  type Activity,
  type LastError,
  type Session,
} from "../session.ts";
import { NEW_FOLDER } from "../files/session-folder.ts";
import type { Suspension } from "../suspension.ts";
import { withFiles } from "../files/working-files.ts";

/** Applies one event to the session. The rules are in `decide`; this only records their results. */
export function evolve(session: Session | null, event: SessionEvent): Session | null {
  if (event.type === "session.created") return created(event);
  if (event.type === "session.imported") return imported(event);
  if (session === null)
    throw new Error(`unreachable: ${event.type} on a session that does not exist`);
  if (event.type === "session.deleted") return null;
  return { ...fold(session, event), ...timesAfter(session, event) };
}

export function evolveAll(
  session: Session | null,
  events: readonly SessionEvent[],
): Session | null {
  return events.reduce(evolve, session);
}

type Change = Exclude<
  SessionEvent,
  { type: "session.created" | "session.imported" | "session.deleted" }
>;

function fold(session: Session, event: Change): Session {
  switch (event.type) {
    case "session.updated":
      return {
        ...session,
        ...event.changes,
        metadata: { ...session.metadata, ...event.changes.metadata },
        ...(event.changes.title !== undefined && {
          resumeData: withTitleOf(session.resumeData, event.titledBy ?? null),
        }),
      };
    case "session.suspended": {
      const activity = activityOf(session);
      if (activity.state === "running")
        throw new Error("unreachable: suspended with a run in progress");
      const { standing } = session;
      const suspendedAt = standing.status === "suspended" ? standing.suspendedAt : event.at;
      const reason = event.reason ?? null;
      return { ...session, standing: { status: "suspended", activity, suspendedAt, reason } };
    }
    case "session.touched":
      return session;
    case "session.resumed":
      return { ...session, standing: { status: "active", activity: activityOf(session) } };
    case "session.archived":
      return { ...session, standing: { status: "archived", archivedAt: event.at } };
    case "session.failed":
      return {
        ...session,
        standing: { status: "error", reason: event.reason, failedAt: event.at },
      };
    case "session.finalized":
      return { ...session, finalizedAt: event.at, summary: event.summary };
    case "phase.changed":
      return {
        ...session,
        phase: event.to,
        resumeReady: isResumable(event.to),
        phaseHistory: [
          ...session.phaseHistory,
          { from: event.from, to: event.to, at: event.at },
        ].slice(-PHASE_HISTORY_KEPT),
      };
    case "error.recorded":
      return withError(session, { ...event.error, at: event.at });
    case "resume.recorded":
      return recordedResume(session, event);
    case "settings.changed":
      return changedSettings(session, event);
    case "files.recorded":
      return { ...session, files: withFiles(session.files, event.record) };
    case "worktree.changed":
      return { ...session, workspace: { ...session.workspace, worktree: event.worktree } };
    case "pull-request.opened":
      return { ...session, workspace: { ...session.workspace, pullRequest: event.url } };
    case "session.rewound":
      return rewound(session, event);
    case "rewind.ended": {
      const { rewind } = session;
      if (rewind === null) return session;
      const status = event.error === null ? "done" : "failed";
      return { ...session, rewind: { ...rewind, status, error: event.error } };
    }
    case "message.queued":
      return { ...session, queue: session.queue.toSpliced(event.position, 0, event.entry) };
    case "message.edited":
    case "output.appended":
      return session;
    case "message.moved": {
      const moved = session.queue.filter((entry) => entry.messageId === event.messageId);
      return {
        ...session,
        queue: without(session, event.messageId).toSpliced(event.position, 0, ...moved),
      };
    }
    case "message.withdrawn":
    case "message.undelivered":
      return { ...session, queue: without(session, event.messageId) };
    case "message.steered":
      return { ...session, queue: steeredQueue(session, event) };
    case "run.started":
      return {
        ...working(session, { state: "running", run: event.run }),
        queue: without(session, event.run.messageId),
        rewind: null,
        lastRun: { provider: event.run.provider, model: event.run.model },
        supportsSteering:
          session.supportsSteering && session.lastRun?.provider === event.run.provider,
      };
    case "run.handed":
      return seenByAgent(
        withRun(session, (run) => ({ ...run, handed: true, attempts: run.attempts + 1 })),
      );
    case "run.retried":
    case "run.resumed":
      return withRun(seenByAgent(session), (run) => ({ ...run, handed: false }));
    case "run.requeued":
      return { ...working(session, IDLE), queue: [event.entry, ...session.queue] };
    case "run.suspended":
      return withSuspensions(session, [...openSuspensionsOf(session), event.suspension]);
    case "suspension.closed": {
      // A suspension that is released closes after its run has ended.
      if (currentRunOf(session) === null) return session;
      const open = openSuspensionsOf(session).filter(({ id }) => id !== event.suspensionId);
      return withSuspensions(session, open);
    }
    case "run.ended":
      return endedRun(session, event);
    default:
      return event satisfies never;
  }
}

function created(event: EventOf<"session.created">): Session {
  const { type: _, at, ...fields } = event;
  return {
    ...NO_CONNECTIONS,
    ...fields,
    agentId: event.agentId ?? null,
    standing: { status: "active", activity: IDLE },
    delivery: "open",
    queue: [],
    phase: "initializing",
    phaseHistory: [],
    resumeReady: false,
    errorCount: 0,
    errorTotal: 0,
    lastError: null,
    supportsResume: false,
    supportsSteering: false,
    resumeData: event.resumeData ?? [],
    lastRun: event.lastRun ?? null,
    settings: event.settings ?? [],
    createdAt: at,
    updatedAt: at,
    lastActiveAt: at,
    lastTurn: firstTurn(at),
    finalizedAt: null,
    summary: null,
    ...NEW_FOLDER,
    ...defined({ workspace: event.workspace }),
  };
}

/** The sessions of agents that know a run that was taken back cannot be resumed. */
function rewound(session: Session, { rewind }: EventOf<"session.rewound">): Session {
  const runs = new Set(rewind.undoes === null ? rewind.runIds : []);
  const resumeData = session.resumeData.filter(({ seen }) => seen === null || !runs.has(seen));
  const isSame = resumeData.length === session.resumeData.length;
  return { ...session, rewind, ...(!isSame && { resumeData, supportsResume: false }) };
}

/** A log of version 0.1 may contain a session in an older form. */
function imported({ session }: EventOf<"session.imported">): Session {
  const { lastRun = null, settings = [], supportsSteering = false } = session;
  const { lastTurn = firstTurn(session.lastActiveAt) } = session;
  const resumeData = parseResumePoints(session.resumeData);
  const added = { lastRun, settings, supportsSteering, resumeData, lastTurn };
  // Its folder and the objects of its files are elsewhere.
  return { ...NO_CONNECTIONS, ...session, ...added, ...NEW_FOLDER };
}

/** Records that the agent of the current run knows it, if it got the message. */
function seenByAgent(session: Session): Session {
  const run = currentRunOf(session);
  if (run === null || !run.handed) return session;
  return { ...session, resumeData: withSeenRun(session.resumeData, run) };
}

function recordedResume(session: Session, event: EventOf<"resume.recorded">): Session {
  const { supportsResume, supportsSteering = false } = event;
  const [old = { provider: null, data: null }] =
    event.provider === undefined ? parseResumePoints(event.resumeData) : [];
  const point = {
    provider: event.provider ?? old.provider ?? currentRunOf(session)?.provider ?? null,
    data: event.provider === undefined ? old.data : event.resumeData,
  };
  const { mode } = event;
  const settings =
    mode === undefined || point.provider === null
      ? session.settings
      : withSettings(session.settings, { provider: point.provider, mode });
  const resumeData = withResumeData(session.resumeData, point);
  return { ...session, supportsResume, supportsSteering, resumeData, settings };
}

/** A model that the agent chose replaces those that its next run would get. */
function changedSettings(session: Session, event: EventOf<"settings.changed">): Session {
  const { provider, model } = event;
  const settings = withSettings(session.settings, event);
  if (model === undefined || session.lastRun?.provider !== provider)
    return { ...session, settings };
  const isPreferred = session.model !== null && (session.provider ?? provider) === provider;
  return {
    ...session,
    settings,
    lastRun: { provider, model },
    ...(isPreferred && { model }),
  };
}

function endedRun(session: Session, event: EventOf<"run.ended">): Session {
  const ended = working(seenByAgent(session), IDLE);
  const { runId, result, at } = event;
  switch (result.outcome) {
    case "completed":
      return { ...ended, errorCount: 0 };
    case "failed":
      return withError(ended, { id: runId, text: result.error.message, at });
    case "cancelled":
    case "interrupted":
      return ended;
    default:
      return result satisfies never;
  }
}

function withError(session: Session, lastError: LastError): Session {
  const { errorCount, errorTotal } = session;
  return { ...session, errorCount: errorCount + 1, errorTotal: errorTotal + 1, lastError };
}

/** A running session is active. A session that waits or is idle keeps the status `suspended`. */
function working(session: Session, activity: Activity): Session {
  const { standing } = session;
  const staysSuspended = standing.status === "suspended" && activity.state !== "running";
  return {
    ...session,
    standing: staysSuspended ? { ...standing, activity } : { status: "active", activity },
  };
}

function withRun(session: Session, change: (run: CurrentRun) => CurrentRun): Session {
  return working(session, { state: "running", run: change(requireRun(session)) });
}

function withSuspensions(session: Session, [first, ...rest]: readonly Suspension[]): Session {
  const run = requireRun(session);
  return working(
    session,
    first === undefined
      ? { state: "running", run }
      : { state: "suspended", run, suspensions: [first, ...rest] },
  );
}

function requireRun(session: Session): CurrentRun {
  const run = currentRunOf(session);
  if (run === null) throw new Error("unreachable: a run event without a run");
  return run;
}

function without(session: Session, messageId: string): Session["queue"] {
  return session.queue.filter((entry) => entry.messageId !== messageId);
}

function steeredQueue(
  session: Session,
  { messageId, outcome }: EventOf<"message.steered">,
): Session["queue"] {
  if (outcome === "injected" || outcome === "unknown") return without(session, messageId);
  return session.queue.map((entry) => {
    if (entry.messageId !== messageId) return entry;
    const { steer: _, ...plain } = entry;
    return outcome === "given" ? { ...plain, steer: outcome } : plain;
  });
}

function timesAfter(
  session: Session,
  event: SessionEvent,
): Pick<Session, "updatedAt" | "lastActiveAt" | "lastTurn"> {
  const { lastActiveAt } = session;
  const lastTurn = turnAfter(session.lastTurn, event);
  if (isServersOwn(event)) return { updatedAt: session.updatedAt, lastActiveAt, lastTurn };
  const updatedAt = Math.max(session.updatedAt, event.at);
  return { updatedAt, lastActiveAt: isActivity(event) ? updatedAt : lastActiveAt, lastTurn };
}

/** A stop or start of the server does not change these times. A crash does, since it may cut off a run. */
function isServersOwn(event: SessionEvent): boolean {
  if (event.type === "session.suspended") return event.cause !== "crash";
  if (SERVERS_OWN.has(event.type)) return true;
  if (event.type === "message.steered") return event.outcome !== "injected";
  return event.type === "session.resumed" && event.by === "server";
}

const SERVERS_OWN: ReadonlySet<string> = new Set<SessionEvent["type"]>([
  "files.recorded",
  "worktree.changed",
  "rewind.ended",
]);

/** Whether a person, an agent or a hook did something. */
function isActivity(event: SessionEvent): boolean {
  switch (event.type) {
    case "session.suspended":
    case "session.archived":
    case "session.failed":
    case "run.requeued":
    case "message.undelivered":
      return false;
    case "run.ended":
      return event.result.outcome !== "interrupted";
    default:
      return true;
  }
}
