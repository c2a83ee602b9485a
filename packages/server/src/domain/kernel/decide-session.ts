import { newsIn, settingsOf, withoutChoices } from "../settings/agent-settings.ts";
import type { CommandOf, Create, Update } from "./command.ts";
import { accept, NOTHING_TO_DO, refuse, refuseIfFinal, type Decision } from "./decision.ts";
import { defined } from "../defined.ts";
import type { SessionChanges, SessionEvent } from "./event.ts";
import { sameJson, type Json } from "../json.ts";
import { isFinal } from "../phase.ts";
import { isTitledByAgent, resumePointOf } from "../resume-point.ts";
import { cancelCurrentRun, cutRun, dropSteering } from "./run-events.ts";
import { activityOf, currentRunOf, type Session } from "../session.ts";

export function decideCreate(session: Session | null, command: Create): Decision {
  if (session !== null)
    return refuse(session, "session_exists", "A session with this ID already exists.");
  return accept({ ...command, type: "session.created" });
}

export function decideUpdate(session: Session, command: Update): Decision {
  const { at, phase, error, settings } = command;
  const changes = changesIn(session, command.changes);
  const events: SessionEvent[] = [];
  if (Object.keys(changes).length > 0) events.push({ type: "session.updated", at, changes });
  const news = settings === undefined ? null : newsIn(session.settings, settings);
  if (news !== null) events.push({ type: "settings.changed", at, ...news, by: "user" });
  if (phase !== undefined && phase !== session.phase) {
    if (isFinal(session.phase)) {
      return refuse(
        session,
        "phase_final",
        `The session was finalized as ${session.phase}, so its phase cannot change.`,
      );
    }
    events.push({ type: "phase.changed", at, from: session.phase, to: phase });
  }
  if (error !== undefined && error.id !== session.lastError?.id) {
    events.push({ type: "error.recorded", at, error });
  }
  const isHeartbeat = phase !== undefined || command.changes.metadata !== undefined;
  if (events.length === 0 && isHeartbeat && at > session.lastActiveAt)
    events.push({ type: "session.touched", at });
  return accept(...events);
}

export function decideSuggestTitle(
  session: Session,
  { at, provider, title }: CommandOf<"suggest-title">,
): Decision {
  const isFree = session.title === null || isTitledByAgent(session.resumeData);
  if (!isFree || session.title === title) return NOTHING_TO_DO;
  return accept({ type: "session.updated", at, changes: { title }, titledBy: provider });
}

/** Leaves out values that the session has, so that a repeated update records nothing. */
function changesIn(session: Session, wanted: SessionChanges): SessionChanges {
  const metadata = Object.entries(wanted.metadata ?? {}).filter(
    ([key, value]) =>
      !Object.hasOwn(session.metadata, key) || !sameJson(session.metadata[key] ?? null, value),
  );
  const changed = <Key extends keyof SessionChanges>(key: Key): SessionChanges[Key] | undefined =>
    wanted[key] === session[key] ? undefined : wanted[key];
  // A person who confirms the title of an agent keeps it.
  const isConfirmed = isTitledByAgent(session.resumeData) && wanted.title !== undefined;
  return defined({
    title: isConfirmed ? wanted.title : changed("title"),
    delivery: changed("delivery"),
    provider: changed("provider"),
    model: changed("model"),
    errorCount: changed("errorCount"),
    mcpServers: unlessSame(wanted.mcpServers, session.mcpServers),
    directories: unlessSame(wanted.directories, session.directories),
    metadata: metadata.length > 0 ? Object.fromEntries<Json>(metadata) : undefined,
  });
}

function unlessSame<Value extends Json>(wanted: Value | undefined, now: Value): Value | undefined {
  return wanted === undefined || sameJson(wanted, now) ? undefined : wanted;
}

export function decideRecordResume(
  session: Session,
  command: CommandOf<"record-resume">,
): Decision {
  const { at, provider, supportsResume, resumeData, mode, supportsSteering } = command;
  const isNewMode = mode !== undefined && settingsOf(session.settings, provider).mode === null;
  const before = resumePointOf(session.resumeData, provider)?.data ?? null;
  const isSame =
    supportsResume === session.supportsResume &&
    (supportsSteering === true) === session.supportsSteering &&
    sameJson(resumeData, before);
  if (isSame && !isNewMode) {
    return NOTHING_TO_DO;
  }
  const steering = defined({ supportsSteering });
  const fields = { provider, supportsResume, resumeData, ...(isNewMode && { mode }), ...steering };
  return accept({ type: "resume.recorded", at, ...fields });
}

/** What the message of the current run chose ends with that run, so the agent's changes of it are not kept. */
export function decideKeepSettings(
  session: Session,
  { type: _, at, by, model, ...change }: CommandOf<"keep-settings">,
): Decision {
  const run = currentRunOf(session);
  const chosen = by === "agent" && run?.provider === change.provider ? (run.settings ?? {}) : {};
  const news = newsIn(session.settings, withoutChoices(change, chosen));
  const isNewModel =
    model !== undefined &&
    session.lastRun?.provider === change.provider &&
    session.lastRun.model !== model;
  if (news === null && !isNewModel) return NOTHING_TO_DO;
  const { provider } = change;
  const fields = { ...(news ?? { provider }), ...(isNewModel && { model }) };
  return accept({ type: "settings.changed", at, ...fields, by });
}

/**
 * The server stops or has crashed. Open suspensions stay open, and a run that was cut off is not repeated.
 * A session without a repository has no agent that could stop, so it stays active.
 */
export function decideSuspend(session: Session, { at, cause }: CommandOf<"suspend">): Decision {
  if (session.standing.status !== "active") return NOTHING_TO_DO;
  const activity = activityOf(session);
  const reason = cause === "crash" ? "the server stopped unexpectedly" : "the server was shut down";
  const dropped = dropSteering(session, at);
  const cut = activity.state === "running" ? [cutRun(activity.run, at, reason)] : [];
  const events = [...dropped, ...cut];
  if (session.repoId === null) return accept(...events);
  return accept(...events, { type: "session.suspended", at, cause });
}

/** The server runs again. A session that can continue becomes active; one that cannot gets a reason. */
export function decideComeBack(
  session: Session,
  { at, obstacle }: CommandOf<"come-back">,
): Decision {
  const { standing } = session;
  const isSuspended = standing.status === "suspended";
  if (obstacle === null)
    return isSuspended ? accept({ type: "session.resumed", at, by: "server" }) : NOTHING_TO_DO;
  const isNews = isSuspended
    ? standing.reason !== obstacle
    : standing.status === "active" && standing.activity.state !== "running";
  if (!isNews) return NOTHING_TO_DO;
  return accept({ type: "session.suspended", at, cause: "unavailable", reason: obstacle });
}

export function decideResume(session: Session, { at }: CommandOf<"resume">): Decision {
  const refusal = refuseIfFinal(session);
  if (refusal !== null) return refusal;
  return session.standing.status === "active"
    ? NOTHING_TO_DO
    : accept({ type: "session.resumed", at });
}

export function decideArchive(session: Session, { at }: CommandOf<"archive">): Decision {
  if (session.standing.status === "archived") return NOTHING_TO_DO;
  const refusal = refuseIfFinal(session);
  if (refusal !== null) return refusal;
  return accept(...endAllWork(session, at, "the session was archived"), {
    type: "session.archived",
    at,
  });
}

export function decideFail(session: Session, { at, reason }: CommandOf<"fail">): Decision {
  if (session.standing.status === "error") return NOTHING_TO_DO;
  const refusal = refuseIfFinal(session);
  if (refusal !== null) return refusal;
  return accept(...endAllWork(session, at, `the session failed: ${reason}`), {
    type: "session.failed",
    at,
    reason,
  });
}

export function decideFinalize(session: Session, command: CommandOf<"finalize">): Decision {
  const { at, outcome, summary } = command;
  const finalized: SessionEvent = { type: "session.finalized", at, outcome, summary };
  if (session.phase === outcome)
    return session.finalizedAt === null ? accept(finalized) : NOTHING_TO_DO;
  if (isFinal(session.phase)) {
    return refuse(session, "phase_final", `The session was already finalized as ${session.phase}.`);
  }
  return accept({ type: "phase.changed", at, from: session.phase, to: outcome }, finalized);
}

export function decideDelete(session: Session, { at }: CommandOf<"delete">): Decision {
  return accept(...cancelCurrentRun(session, at, "the session was deleted"), {
    type: "session.deleted",
    at,
  });
}

function endAllWork(session: Session, at: number, reason: string): SessionEvent[] {
  const queue = session.queue.filter(({ steer }) => steer !== "given");
  const undelivered = queue.map(({ messageId, runId }): SessionEvent => ({
    type: "message.undelivered",
    at,
    messageId,
    runId,
  }));
  return [...cancelCurrentRun(session, at, reason), ...undelivered];
}
