import {
  PHASE_HISTORY_KEPT,
  withDurations,
  type FeedEvent,
  type Message,
  type PhaseChange,
  type Suspension,
  type WholeSession,
} from "@holdfast/protocol";

/** An event of a stream, with the position to go on from after it; null within a group of events. */
export type StreamEvent = FeedEvent & { readonly id: string | null };

/** Text came for a message that the session does not have. An event was missed: read the session again. */
export class MissingMessageError extends Error {
  readonly messageId: string;

  constructor(messageId: string) {
    super(`Text came for the message ${messageId}, which was not sent.`);
    this.name = "MissingMessageError";
    this.messageId = messageId;
  }
}

/**
 * The session after an event: what reading it again would show. Null when it has been deleted. Throws a
 * MissingMessageError for text whose message is not there.
 */
export function applyEvent(session: WholeSession, event: StreamEvent): WholeSession | null {
  const next = change(session, event);
  return next === null || event.id === null ? next : { ...next, lastEventId: event.id };
}

function change(session: WholeSession, event: FeedEvent): WholeSession | null {
  switch (event.type) {
    case "message":
      return { ...session, messages: put(session.messages, event.data) };
    case "delta":
      return { ...session, messages: grow(session.messages, event.data) };
    case "session":
      return { ...session, ...event.data };
    case "suspension":
      return withSuspension(session, event.data);
    case "queue":
      return { ...session, queued: event.data.queue.length };
    case "phase":
      return withPhase(session, event.data);
    case "run":
    case "reset":
      return session;
    case "deleted":
      return null;
    default:
      return event satisfies never;
  }
}

/** In the order of `seq`; a message that is there already is replaced where it stands. */
function put(messages: readonly Message[], message: Message): Message[] {
  const others = messages.filter(({ id }) => id !== message.id);
  const at = others.findLastIndex(({ seq }) => seq < message.seq) + 1;
  return others.toSpliced(at, 0, message);
}

function grow(
  messages: readonly Message[],
  { messageId, text }: { messageId: string; text: string },
): Message[] {
  const at = messages.findLastIndex(({ id }) => id === messageId);
  const message = messages[at];
  if (message === undefined) throw new MissingMessageError(messageId);
  const before = message.content["text"];
  const content = {
    ...message.content,
    text: `${typeof before === "string" ? before : ""}${text}`,
  };
  return messages.with(at, { ...message, content });
}

function withSuspension(session: WholeSession, suspension: Suspension): WholeSession {
  const { id, kind, request, createdAt, expiresAt, status } = suspension;
  const others = session.suspensions.filter((other) => other.id !== id);
  const place = session.suspensions.findIndex((other) => other.id === id);
  const open =
    status === "open"
      ? others.toSpliced(place === -1 ? others.length : place, 0, {
          id,
          kind,
          request,
          createdAt,
          expiresAt,
        })
      : others;
  return { ...session, suspensions: open, suspension: open[0] ?? null };
}

/** The session itself may have come first and have it already. */
function withPhase(session: WholeSession, { from, to, at }: PhaseChange): WholeSession {
  const last = session.phaseHistory.at(-1);
  const isThere = last?.from === from && last.to === to && last.at === at;
  if (isThere) return session;
  const changes = [...session.phaseHistory, { from, to, at }].slice(-PHASE_HISTORY_KEPT);
  const phaseHistory = [...withDurations(changes, session.createdAt)];
  return { ...session, phase: to, phaseHistory };
}
