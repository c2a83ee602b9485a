import type { Model } from "./check.ts";

/** A request to one session with its outcome. `unknown`: no reply, so any outcome is possible. */
export type SessionCall =
  /** `key` is the idempotency key. A send that was acknowledged names its message. */
  | {
      readonly do: "send";
      readonly key: string;
      readonly outcome: { readonly messageId: string } | "refused" | "unknown";
    }
  | {
      readonly do: "answer";
      readonly suspensionId: string;
      readonly outcome: "answered" | "refused" | "unknown";
    }
  | { readonly do: "archive"; readonly outcome: "archived" | "unknown" }
  /** A complete read of the log: the messages in their order. */
  | { readonly do: "read"; readonly messages: readonly string[] };

/** A session's log as its clients see it: messages in order, each key once, each question answered once, nothing after an archive. */
export interface SessionState {
  readonly messages: readonly string[];
  /** The message of each key; null if a reply never told its ID. */
  readonly keys: Readonly<Record<string, string | null>>;
  readonly answered: readonly string[];
  readonly isArchived: boolean;
}

export const SESSION: Model<SessionState, SessionCall> = {
  initial: { messages: [], keys: {}, answered: [], isArchived: false },
  keyOf: (state) => JSON.stringify(state),
  apply: (state, call) => {
    switch (call.do) {
      case "send":
        return send(state, call);
      case "answer": {
        const isDone = state.answered.includes(call.suspensionId);
        if (call.outcome === "refused") return isDone || state.isArchived ? state : null;
        if (isDone || state.isArchived) return call.outcome === "unknown" ? state : null;
        return { ...state, answered: [...state.answered, call.suspensionId].toSorted() };
      }
      case "archive":
        return { ...state, isArchived: true };
      case "read":
        return isSame(state.messages, call.messages) ? state : null;
      default:
        return call satisfies never;
    }
  },
};

function send(
  state: SessionState,
  { key, outcome }: Extract<SessionCall, { do: "send" }>,
): SessionState | null {
  const isKnown = Object.hasOwn(state.keys, key);
  const before = state.keys[key] ?? null;
  if (outcome === "refused") return state.isArchived && !isKnown ? state : null;
  if (outcome === "unknown") {
    // Its message has a name of its own until a repetition tells its ID.
    if (isKnown || state.isArchived) return state;
    const keys = { ...state.keys, [key]: null };
    return { ...state, keys, messages: [...state.messages, `key ${key}`] };
  }
  const { messageId } = outcome;
  if (!isKnown) {
    if (state.isArchived || state.messages.includes(messageId)) return null;
    const keys = { ...state.keys, [key]: messageId };
    return { ...state, keys, messages: [...state.messages, messageId] };
  }
  if (before !== null) return before === messageId ? state : null;
  const messages = state.messages.map((each) => (each === `key ${key}` ? messageId : each));
  return { ...state, messages, keys: { ...state.keys, [key]: messageId } };
}

/** A message whose ID nobody was told may have any. */
function isSame(stored: readonly string[], read: readonly string[]): boolean {
  return (
    stored.length === read.length &&
    stored.every((id, index) => id.startsWith("key ") || id === read[index])
  );
}
