import {
  grownContent,
  PHASE_HISTORY_KEPT,
  withDurations,
  type Delta,
  type FeedEvent,
  type Message,
  type OpenSuspension,
  type PhaseChange,
  type Run,
  type Session,
  type Suspension,
  type WholeSession,
} from "@holdfast/protocol";

/** An event of a stream. The id is the position after it; null when the next event completes the position. */
export type StreamEvent = FeedEvent & { readonly id: string | null };

/** Text arrived for a message that the session does not have. An event was missed: read the session again. */
export class MissingMessageError extends Error {
  readonly messageId: string;

  constructor(messageId: string) {
    super(`Text arrived for the unknown message ${messageId}.`);
    this.name = "MissingMessageError";
    this.messageId = messageId;
  }
}

/**
 * The session after an event, as reading it again would return it. Null when it has been deleted.
 * Throws a MissingMessageError for text whose message is missing.
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
    case "run":
      return withRun(session, event.data);
    case "deleted":
      return null;
    default:
      return applyToSession(session, event);
  }
}

/**
 * The session after an event, apart from its messages: a page keeps those elsewhere. Returns the same
 * object when nothing changes.
 */
export function applyToSession<Kind extends Session>(session: Kind, event: FeedEvent): Kind {
  switch (event.type) {
    case "session":
      return { ...session, ...event.data };
    case "suspension": {
      const suspensions = applySuspension(session.suspensions, event.data);
      return { ...session, suspensions, suspension: suspensions[0] ?? null };
    }
    case "queue":
      return { ...session, queued: event.data.queue.length };
    case "phase":
      return withPhase(session, event.data);
    case "message":
    case "delta":
    case "run":
    case "reset":
    case "deleted":
      return session;
    default:
      return event satisfies never;
  }
}

/** The open suspensions after one of them was opened, changed or closed. */
export function applySuspension(
  open: readonly OpenSuspension[],
  { id, kind, request, createdAt, expiresAt, status }: Suspension,
): OpenSuspension[] {
  const others = open.filter((other) => other.id !== id);
  if (status !== "open") return others;
  const at = open.findIndex((other) => other.id === id);
  const changed = { id, kind, request, createdAt, expiresAt };
  return others.toSpliced(at === -1 ? others.length : at, 0, changed);
}

function withRun(session: WholeSession, { id, rewoundAt }: Run): WholeSession {
  const isKnown = session.rewoundRuns.includes(id);
  if (isKnown === (rewoundAt !== null)) return session;
  const others = session.rewoundRuns.filter((other) => other !== id);
  return { ...session, rewoundRuns: isKnown ? others : [...others, id].toSorted() };
}

/** Inserts a message in the order of `seq`, or replaces it. */
function put(messages: readonly Message[], message: Message): Message[] {
  const others = messages.filter(({ id }) => id !== message.id);
  const at = others.findLastIndex(({ seq }) => seq < message.seq) + 1;
  return others.toSpliced(at, 0, message);
}

function grow(messages: readonly Message[], { messageId, text }: Delta): Message[] {
  const at = messages.findLastIndex(({ id }) => id === messageId);
  const message = messages[at];
  if (message === undefined) throw new MissingMessageError(messageId);
  const content = grownContent(message.content, text);
  return messages.with(at, { ...message, content });
}

/** The event of the session itself may have arrived first and include the phase. */
function withPhase<Kind extends Session>(session: Kind, { from, to, at }: PhaseChange): Kind {
  const last = session.phaseHistory.at(-1);
  if (last?.from === from && last.to === to && last.at === at) return session;
  const changes = [...session.phaseHistory, { from, to, at }].slice(-PHASE_HISTORY_KEPT);
  const phaseHistory = [...withDurations(changes, session.createdAt)];
  return { ...session, phase: to, phaseHistory };
}
