import type { Model } from "./check.ts";

/**
 * `unknown`: no reply came, so the request may take effect at any later time, or never. Every other text is the code of a
 * refusal.
 */
export type Outcome = "done" | "unknown" | (string & {});

/** A request to one session with its outcome. */
export type SessionRequest =
  /** `key` is the idempotency key. A send that was acknowledged names its message. */
  | {
      readonly do: "send";
      readonly key: string;
      readonly interrupts?: boolean;
      readonly outcome: { readonly messageId: string } | Exclude<Outcome, "done">;
    }
  | {
      readonly do: "answer";
      readonly suspensionId: string;
      readonly answer: string;
      readonly outcome: Outcome;
    }
  | { readonly do: "withdraw"; readonly messageId: string; readonly outcome: Outcome }
  | { readonly do: "cancel" | "resume" | "archive" | "delete"; readonly outcome: Outcome };

/** Steps of the server itself, which no client asks for. */
export type ServerStep =
  /** A message of the server: it continues an interrupted run. */
  | { readonly do: "queue"; readonly messageId: string; readonly position: number }
  | { readonly do: "start" | "requeue" | "end"; readonly messageId: string }
  | { readonly do: "ask" | "close"; readonly suspensionId: string };

/** An entry of the log that only a request can cause. */
export type Effect =
  | { readonly is: "queued"; readonly key: string; readonly messageId: string }
  | { readonly is: "cancelled" | "withdrawn"; readonly messageId: string }
  | { readonly is: "answered"; readonly suspensionId: string; readonly answer: string }
  | { readonly is: "archived" | "deleted" };

export type SessionCall =
  | SessionRequest
  | ServerStep
  /** The log says when an effect happened: it was not there before, and was there afterwards. */
  | { readonly do: "before" | "after"; readonly effect: Effect }
  /** A complete read of the log: the accepted messages in their order, and whatever else is given. */
  | {
      readonly do: "read";
      readonly messages: readonly string[];
      readonly withdrawn?: readonly string[];
      readonly answers?: Readonly<Record<string, string>>;
      readonly life?: SessionState["life"];
    };

/** A session as its clients see it. Lists without an order of their own are sorted. */
export interface SessionState {
  readonly life: "active" | "archived" | "deleted";
  /** All accepted messages, in order. */
  readonly accepted: readonly string[];
  /** The message of each key; null while nobody was told its ID. */
  readonly keys: Readonly<Record<string, string | null>>;
  readonly queue: readonly string[];
  /** The message of the current run. */
  readonly current: string | null;
  readonly withdrawn: readonly string[];
  /** Messages whose run was begun and taken back. They stay in the transcript, even if they are withdrawn. */
  readonly requeued: readonly string[];
  readonly open: readonly string[];
  readonly closed: readonly string[];
  readonly answers: Readonly<Record<string, string>>;
}

const INITIAL: SessionState = {
  life: "active",
  accepted: [],
  keys: {},
  queue: [],
  current: null,
  withdrawn: [],
  requeued: [],
  open: [],
  closed: [],
  answers: {},
};

/**
 * Messages are accepted in order, each key once. A message is in the queue until it is delivered or withdrawn, but never
 * both. A question is answered once. Nothing is accepted after an archive or a delete.
 */
export const SESSION: Model<SessionState, SessionCall> = {
  initial: INITIAL,
  keyOf: (state) => JSON.stringify(state),
  // A cancel that has nothing to cancel may still be the one that is needed later.
  isObservation: (call) => {
    if (call.do === "before" || call.do === "after" || call.do === "read") return true;
    if (!("outcome" in call)) return false;
    const isRefused = typeof call.outcome === "string" && !/^(?:done|unknown)$/u.test(call.outcome);
    return isRefused || (call.do === "resume" && call.outcome === "done");
  },
  apply: (state, call) => {
    switch (call.do) {
      case "send":
        return send(state, call);
      case "answer":
        return answer(state, call);
      case "withdraw":
        return withdraw(state, call);
      case "cancel":
        return change(state, call.outcome, {
          archived: "session_archived",
          active: () => ended(state),
        });
      case "resume":
        return change(state, call.outcome, { archived: "session_archived", active: () => state });
      case "archive":
        return change(state, call.outcome, {
          archived: "done",
          active: () => ({ ...ended(state), queue: [], life: "archived" }),
        });
      case "delete":
        return change(state, call.outcome, {
          archived: () => ({ ...ended(state), queue: [], life: "deleted" }),
          active: () => ({ ...ended(state), queue: [], life: "deleted" }),
        });
      case "queue":
      case "start":
      case "requeue":
      case "end":
      case "ask":
      case "close":
        return step(state, call);
      case "before":
        return isThere(state, call.effect) ? null : state;
      case "after":
        return seen(state, call.effect);
      case "read":
        return isSame(state, call) ? state : null;
      default:
        return call satisfies never;
    }
  },
};

/** What a request does in each life of the session: it is done without an effect, has an effect, or is refused with a code. */
interface Change {
  readonly active: () => SessionState;
  readonly archived: Outcome | (() => SessionState);
}

function change(
  state: SessionState,
  outcome: Outcome,
  { active, archived }: Change,
): SessionState | null {
  const rule =
    state.life === "deleted" ? "session_not_found" : state.life === "active" ? active : archived;
  if (typeof rule === "string") return outcome === rule ? state : null;
  const next = rule();
  // A request without a reply and without an effect can be left out.
  if (outcome === "unknown") return next === state ? null : next;
  return outcome === "done" ? next : null;
}

function send(
  state: SessionState,
  { key, outcome, interrupts = false }: Extract<SessionCall, { do: "send" }>,
): SessionState | null {
  if (typeof outcome !== "string") {
    const { messageId } = outcome;
    if (Object.hasOwn(state.keys, key)) return named(state, key, messageId);
    if (state.life !== "active" || state.accepted.includes(messageId)) return null;
    return accepted(state, { key, interrupts, messageId });
  }
  // A repetition gets the reply of the first, whatever happened since.
  if (Object.hasOwn(state.keys, key)) return null;
  if (outcome !== "unknown") return outcome === REFUSES_MESSAGES[state.life] ? state : null;
  return state.life === "active" ? accepted(state, { key, interrupts, messageId: null }) : null;
}

const REFUSES_MESSAGES = {
  active: null,
  archived: "session_archived",
  deleted: "session_not_found",
} as const;

function accepted(
  state: SessionState,
  {
    key,
    interrupts,
    messageId,
  }: { readonly key: string; readonly interrupts: boolean; readonly messageId: string | null },
): SessionState {
  // It has a name of its own until somebody is told its ID.
  const name = messageId ?? `key ${key}`;
  const before = interrupts ? ended(state) : state;
  return {
    ...before,
    accepted: [...before.accepted, name],
    keys: sorted({ ...before.keys, [key]: messageId }),
    queue: interrupts ? [name, ...before.queue] : [...before.queue, name],
  };
}

/** The state in which the message of the key has this ID; null if it has another. */
function named(state: SessionState, key: string, messageId: string): SessionState | null {
  const before = state.keys[key] ?? null;
  if (before !== null) return before === messageId ? state : null;
  const rename = (name: string): string => (name === `key ${key}` ? messageId : name);
  return {
    ...state,
    accepted: state.accepted.map(rename),
    keys: { ...state.keys, [key]: messageId },
    queue: state.queue.map(rename),
    current: state.current === null ? null : rename(state.current),
    withdrawn: state.withdrawn.map(rename).toSorted(),
    requeued: state.requeued.map(rename).toSorted(),
  };
}

function answer(
  state: SessionState,
  { suspensionId, answer: text, outcome }: Extract<SessionCall, { do: "answer" }>,
): SessionState | null {
  if (state.life === "deleted") return outcome === "session_not_found" ? state : null;
  if (state.open.includes(suspensionId)) {
    if (outcome !== "done" && outcome !== "unknown") return null;
    const open = state.open.filter((id) => id !== suspensionId);
    return { ...state, open, answers: sorted({ ...state.answers, [suspensionId]: text }) };
  }
  const first = state.answers[suspensionId];
  // The same answer again is acknowledged again.
  if (first !== undefined)
    return outcome === (first === text ? "done" : "suspension_answered") ? state : null;
  const refusal = state.closed.includes(suspensionId)
    ? "suspension_not_open"
    : "suspension_not_found";
  return outcome === refusal ? state : null;
}

function withdraw(
  state: SessionState,
  { messageId, outcome }: Extract<SessionCall, { do: "withdraw" }>,
): SessionState | null {
  const isGone =
    !state.accepted.includes(messageId) ||
    (state.withdrawn.includes(messageId) && !state.requeued.includes(messageId));
  if (state.life === "deleted")
    return outcome === "session_not_found" || outcome === "message_not_found" ? state : null;
  if (!state.queue.includes(messageId))
    return outcome === (isGone ? "message_not_found" : "message_not_queued") ? state : null;
  if (outcome !== "done" && outcome !== "unknown") return null;
  return {
    ...state,
    queue: state.queue.filter((id) => id !== messageId),
    withdrawn: [...state.withdrawn, messageId].toSorted(),
  };
}

/** The run is over, and nobody waits for an answer any more. */
function ended(state: SessionState): SessionState {
  if (state.current === null && state.open.length === 0) return state;
  return { ...state, current: null, open: [], closed: [...state.closed, ...state.open].toSorted() };
}

function step(state: SessionState, call: ServerStep): SessionState | null {
  return "suspensionId" in call ? stepOfQuestion(state, call) : stepOfMessage(state, call);
}

function stepOfMessage(
  state: SessionState,
  call: Extract<ServerStep, { readonly messageId: string }>,
): SessionState | null {
  const { messageId } = call;
  switch (call.do) {
    case "queue":
      if (state.life !== "active") return null;
      return {
        ...state,
        accepted: [...state.accepted, messageId],
        queue: state.queue.toSpliced(call.position, 0, messageId),
      };
    case "start":
      if (state.current !== null || state.queue[0] !== messageId) return null;
      return { ...state, current: messageId, queue: state.queue.slice(1) };
    case "requeue":
      if (state.current !== messageId) return null;
      return {
        ...ended(state),
        queue: [messageId, ...state.queue],
        requeued: [...new Set([...state.requeued, messageId])].toSorted(),
      };
    case "end":
      return state.current === messageId ? ended(state) : null;
    default:
      return call satisfies never;
  }
}

function stepOfQuestion(
  state: SessionState,
  call: Extract<ServerStep, { readonly suspensionId: string }>,
): SessionState | null {
  const { suspensionId } = call;
  if (call.do === "ask") {
    if (state.current === null) return null;
    return { ...state, open: [...state.open, suspensionId].toSorted() };
  }
  if (state.closed.includes(suspensionId)) return state;
  if (!state.open.includes(suspensionId)) return null;
  return {
    ...state,
    open: state.open.filter((id) => id !== suspensionId),
    closed: [...state.closed, suspensionId].toSorted(),
  };
}

function isThere(state: SessionState, effect: Effect): boolean {
  switch (effect.is) {
    case "queued":
      return Object.hasOwn(state.keys, effect.key);
    case "cancelled":
      return state.current !== effect.messageId;
    case "withdrawn":
      return state.withdrawn.includes(effect.messageId);
    case "answered":
      return state.answers[effect.suspensionId] === effect.answer;
    case "archived":
    case "deleted":
      return state.life === effect.is;
    default:
      return effect satisfies never;
  }
}

/** The log names the message of a key. */
function seen(state: SessionState, effect: Effect): SessionState | null {
  if (!isThere(state, effect)) return null;
  return effect.is === "queued" ? named(state, effect.key, effect.messageId) : state;
}

/** A message whose ID nobody was told may have any. */
function isSame(
  state: SessionState,
  { messages, withdrawn, answers, life }: Extract<SessionCall, { do: "read" }>,
): boolean {
  return (
    state.accepted.length === messages.length &&
    state.accepted.every((id, index) => id.startsWith("key ") || id === messages[index]) &&
    (withdrawn === undefined || isEqual(state.withdrawn, withdrawn.toSorted())) &&
    (answers === undefined || isEqual(state.answers, sorted(answers))) &&
    (life === undefined || state.life === life)
  );
}

function isEqual(left: object, right: object): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Equal records have equal texts. */
function sorted<Value>(record: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
