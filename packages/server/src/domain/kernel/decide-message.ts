import type { Command, Send } from "./command.ts";
import { accept, NOTHING_TO_DO, refuse, refuseIfFinal, type Decision } from "./decision.ts";
import type { QueueEntry } from "../delivery.ts";
import type { SessionEvent } from "./event.ts";
import { endCurrentRun, startOf } from "./run-events.ts";
import { currentRunOf, stateOf, type Session } from "../session.ts";

type Of<Type extends Command["type"]> = Extract<Command, { type: Type }>;

export function decideSend(session: Session, command: Send): Decision {
  const isRetry =
    session.queue.some((entry) => entry.messageId === command.messageId) ||
    currentRunOf(session)?.messageId === command.messageId;
  if (isRetry) return NOTHING_TO_DO;

  const refusal = refuseIfFinal(session) ?? refuseDelivery(session, command);
  if (refusal !== null) return refusal;

  const interrupts = command.delivery === "interrupt";
  const entry: QueueEntry = {
    messageId: command.messageId,
    runId: command.runId,
    provider: command.provider,
    model: command.model,
    continuity: command.continuity,
    attempts: 0,
  };
  const position = interrupts ? 0 : session.queue.length;
  const startsNow =
    command.start !== null &&
    session.delivery === "open" &&
    position === 0 &&
    (interrupts || stateOf(session) === "idle");

  const events: SessionEvent[] = [];
  if (session.standing.status === "suspended")
    events.push({ type: "session.resumed", at: command.at });
  if (interrupts) {
    events.push(
      ...endCurrentRun(session, {
        at: command.at,
        result: { outcome: "cancelled", reason: "interrupted by a new message" },
        usage: null,
      }),
    );
  }
  events.push({ type: "message.queued", at: command.at, entry, position });
  if (startsNow) events.push(startOf(entry, { at: command.at, start: command.start }));
  return accept(...events);
}

function refuseDelivery(session: Session, command: Send): Decision | null {
  if (session.repoId === null) {
    return refuse(
      session,
      "repository_required",
      "The session has no repository to run an agent in. Create one with a repoId; this one only tracks phases.",
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
      `The session's queue holds ${command.maxQueued} messages already.`,
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
  if (stateOf(session) !== "idle" || session.queue.length > 0) {
    return refuse(
      session,
      "session_busy",
      "Other messages come first and this one asked not to wait.",
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

export function decideEditQueued(session: Session, command: Of<"edit-queued">): Decision {
  if (positionOf(session, command.messageId) < 0) return refuseNotQueued(session);
  return accept({ type: "message.edited", at: command.at, messageId: command.messageId });
}

export function decideMoveQueued(session: Session, command: Of<"move-queued">): Decision {
  const current = positionOf(session, command.messageId);
  if (current < 0) return refuseNotQueued(session);
  const position = Math.max(0, Math.min(command.position, session.queue.length - 1));
  if (position === current) return NOTHING_TO_DO;
  return accept({ type: "message.moved", at: command.at, messageId: command.messageId, position });
}

export function decideWithdrawQueued(session: Session, command: Of<"withdraw-queued">): Decision {
  const entry = session.queue[positionOf(session, command.messageId)];
  if (entry === undefined) return refuseNotQueued(session);
  return accept({
    type: "message.withdrawn",
    at: command.at,
    messageId: entry.messageId,
    runId: entry.runId,
  });
}

function positionOf(session: Session, messageId: string): number {
  return session.queue.findIndex((entry) => entry.messageId === messageId);
}

function refuseNotQueued(session: Session): Decision {
  return refuse(
    session,
    "message_not_queued",
    "The message is not in the queue: it was delivered, withdrawn or never sent.",
  );
}
