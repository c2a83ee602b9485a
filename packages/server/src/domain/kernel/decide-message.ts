import type { CommandOf, Send } from "./command.ts";
import { accept, NOTHING_TO_DO, refuse, refuseIfFinal, type Decision } from "./decision.ts";
import { defined } from "../defined.ts";
import type { QueueEntry } from "../delivery.ts";
import type { SessionEvent } from "./event.ts";
import { cancelCurrentRun, startOf } from "./run-events.ts";
import { currentRunOf, stateOf, type Session } from "../session.ts";

export function decideSend(session: Session, command: Send): Decision {
  const isRetry =
    session.queue.some((entry) => entry.messageId === command.messageId) ||
    currentRunOf(session)?.messageId === command.messageId;
  if (isRetry) return NOTHING_TO_DO;

  const refusal = refuseIfFinal(session) ?? refuseDelivery(session, command);
  if (refusal !== null) return refusal;

  const interrupts = command.delivery === "interrupt";
  const { at, start, messageId, runId, provider, model, continuity, settings } = command;
  const chosen = { provider, model, continuity, ...defined({ settings }) };
  const plain = { messageId, runId, ...chosen, attempts: 0 };
  const entry: QueueEntry = canSteer(session, command) ? { ...plain, steer: "wanted" } : plain;
  const position = interrupts ? 0 : session.queue.length;
  const startsNow =
    start !== null &&
    session.delivery === "open" &&
    session.rewind?.status !== "restoring" &&
    position === 0 &&
    (interrupts || stateOf(session) === "idle");

  const events: SessionEvent[] = [];
  if (session.standing.status === "suspended") events.push({ type: "session.resumed", at });
  if (interrupts) events.push(...cancelCurrentRun(session, at, "interrupted by a new message"));
  events.push({ type: "message.queued", at, entry, position });
  if (startsNow) events.push(startOf(entry, { at, start }));
  return accept(...events);
}

/** Whether the message is meant for the agent that works now, and may go to it. Settings hold for a run of its own. */
function canSteer(session: Session, command: Send): boolean {
  const { delivery, provider, model, continuity, settings } = command;
  const run = currentRunOf(session);
  if (delivery !== "steer" || run === null || !run.handed || settings !== undefined) return false;
  if (session.delivery !== "open" || session.standing.status !== "active") return false;
  const isSameAgent = provider === null || provider === run.provider;
  return isSameAgent && (model === null || model === run.model) && continuity === "auto";
}

function refuseDelivery(session: Session, command: Send): Decision | null {
  if (session.repoId === null) {
    return refuse(
      session,
      "repository_required",
      "The session has no repository, so no agent can run in it. Create a session with a repository.",
    );
  }
  if (session.delivery === "reject") {
    return refuse(
      session,
      "delivery_rejected",
      "The session's delivery policy rejects messages. Set it to open.",
    );
  }
  if (session.queue.length >= command.maxQueued) {
    return refuse(
      session,
      "queue_full",
      `The session's queue is full: it holds ${command.maxQueued} messages.`,
    );
  }
  if (command.delivery !== "reject") return null;
  if (session.delivery === "hold") {
    return refuse(
      session,
      "delivery_held",
      "The session's delivery policy holds messages back. Set it to open.",
    );
  }
  const isRestoring = session.rewind?.status === "restoring";
  if (stateOf(session) !== "idle" || session.queue.length > 0 || isRestoring) {
    return refuse(
      session,
      "session_busy",
      "The session is busy, and the message must not be queued.",
    );
  }
  if (command.start === null) {
    return refuse(
      session,
      "agents_busy",
      "All agent slots are in use, and the message must not be queued.",
    );
  }
  return null;
}

export function decideEditQueued(session: Session, command: CommandOf<"edit-queued">): Decision {
  if (positionOf(session, command.messageId) < 0) return refuseNotQueued(session);
  return accept({ type: "message.edited", at: command.at, messageId: command.messageId });
}

export function decideMoveQueued(session: Session, command: CommandOf<"move-queued">): Decision {
  const current = positionOf(session, command.messageId);
  if (current < 0) return refuseNotQueued(session);
  const position = Math.max(0, Math.min(command.position, session.queue.length - 1));
  if (position === current) return NOTHING_TO_DO;
  return accept({ type: "message.moved", at: command.at, messageId: command.messageId, position });
}

export function decideWithdrawQueued(
  session: Session,
  command: CommandOf<"withdraw-queued">,
): Decision {
  const entry = session.queue[positionOf(session, command.messageId)];
  if (entry === undefined) return refuseNotQueued(session);
  return accept({
    type: "message.withdrawn",
    at: command.at,
    messageId: entry.messageId,
    runId: entry.runId,
  });
}

/** A message that is being given to the running agent counts as delivered. */
function positionOf(session: Session, messageId: string): number {
  return session.queue.findIndex(
    (entry) => entry.messageId === messageId && entry.steer !== "given",
  );
}

function refuseNotQueued(session: Session): Decision {
  return refuse(
    session,
    "message_not_queued",
    "The message is not in the queue: it was delivered, withdrawn or never sent.",
  );
}
