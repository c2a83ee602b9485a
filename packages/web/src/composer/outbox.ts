import { HoldfastError, isObject } from "@holdfast/client";
import { parseJson, type PageStorage } from "../api/page-storage.ts";
import { createListeners } from "../api/store.ts";
import { type Draft, toDraft } from "./drafts.ts";

/** A message that is being sent, or failed to send. */
export interface Outgoing extends Draft {
  /** The idempotency key: retries do not duplicate the message. */
  readonly key: string;
  readonly delivery: "queue" | "interrupt" | "steer";
  /** The reason of the failure; null while sending. */
  readonly failure: string | null;
}

export type NewMessage = Omit<Outgoing, "key" | "failure">;

/** The maximum per session; older ones are dropped. */
const MOST = 20;

const CUT_OFF = "The page was closed before the server had answered.";
const NO_ANSWER =
  "The server did not answer. It may have arrived; trying again does not send it twice.";

/** The unconfirmed messages of this device. They survive a reload. */
export function createOutbox({
  storage,
  send,
  newKey,
}: {
  readonly storage: PageStorage;
  readonly send: (sessionId: string, message: Outgoing) => Promise<unknown>;
  readonly newKey: () => string;
}) {
  const bySession = new Map<string, readonly Outgoing[]>();
  const listeners = createListeners();

  const of = (sessionId: string): readonly Outgoing[] => {
    const messages = bySession.get(sessionId) ?? parseOutgoing(storage.get(keyOf(sessionId)));
    bySession.set(sessionId, messages);
    return messages;
  };
  const change = (sessionId: string, next: readonly Outgoing[]): void => {
    const latest = next.slice(-MOST);
    bySession.set(sessionId, latest);
    storage.set(keyOf(sessionId), latest.length === 0 ? null : JSON.stringify(latest));
    listeners.notify();
  };
  const replace = (sessionId: string, message: Outgoing): void =>
    change(
      sessionId,
      of(sessionId).map((each) => (each.key === message.key ? message : each)),
    );
  const remove = (sessionId: string, key: string): void =>
    change(
      sessionId,
      of(sessionId).filter((each) => each.key !== key),
    );
  const attempt = async (sessionId: string, message: Outgoing): Promise<void> => {
    try {
      await send(sessionId, message);
      remove(sessionId, message.key);
    } catch (error) {
      replace(sessionId, { ...message, failure: failureText(error) });
    }
  };

  return {
    of,
    subscribe: listeners.add,
    send: async (sessionId: string, message: NewMessage): Promise<void> => {
      const outgoing = { ...message, key: newKey(), failure: null };
      change(sessionId, [...of(sessionId), outgoing]);
      await attempt(sessionId, outgoing);
    },
    retry: async (sessionId: string, key: string): Promise<void> => {
      const failed = of(sessionId).find((each) => each.key === key);
      if (failed === undefined || failed.failure === null) return;
      const again = { ...failed, failure: null };
      replace(sessionId, again);
      await attempt(sessionId, again);
    },
    remove,
  };
}

/** A message in flight when the page was closed may have arrived: the user can retry it. */
function parseOutgoing(stored: string | null): readonly Outgoing[] {
  const value = parseJson(stored);
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown): Outgoing[] => {
    if (!isObject(each)) return [];
    const { key, text, delivery, failure } = each;
    if (typeof key !== "string" || typeof text !== "string") return [];
    return [
      {
        ...toDraft(each),
        key,
        delivery: delivery === "interrupt" || delivery === "steer" ? delivery : "queue",
        failure: typeof failure === "string" ? failure : CUT_OFF,
      },
    ];
  });
}

function failureText(error: unknown): string {
  return error instanceof HoldfastError ? error.detail : NO_ANSWER;
}

function keyOf(sessionId: string): string {
  return `holdfast.outbox.${sessionId}`;
}
