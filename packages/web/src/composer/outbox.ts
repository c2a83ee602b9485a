import { HoldfastError, isObject } from "@holdfast/client";
import { parseJson, type PageStorage } from "../api/page-storage.ts";
import { createListeners } from "../api/store.ts";
import { type Draft, toDraft } from "./drafts.ts";

/** A message that is being sent, or failed to send. */
export interface Outgoing extends Draft {
  /** The idempotency key: retries do not duplicate the message. */
  readonly key: string;
  readonly delivery: "queue" | "interrupt" | "steer";
  /** When it was sent first, in milliseconds. */
  readonly at: number;
  /** The server has not answered: it is sent again once the server is back. */
  readonly isWaiting: boolean;
  /** Why the server refused it; null while it is being sent, or waits for the server. */
  readonly failure: string | null;
}

export type NewMessage = Omit<Outgoing, "key" | "at" | "isWaiting" | "failure">;

/** The maximum per session; older ones are dropped. */
const MOST = 20;

/** After a longer time, the person who wrote it may want something else. */
const RESENT_WITHIN_MS = 24 * 3_600_000;
const TOO_OLD = "The server did not answer for a day.";

/** The unconfirmed messages of this device. They survive a reload. */
export function createOutbox({
  storage,
  send,
  newKey,
  now,
}: {
  readonly storage: PageStorage;
  readonly send: (sessionId: string, message: Outgoing) => Promise<unknown>;
  readonly newKey: () => string;
  readonly now: () => number;
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
      const isRefused = error instanceof HoldfastError && error.status < 500;
      const isOld = now() - message.at > RESENT_WITHIN_MS;
      const failure = isRefused ? error.detail : isOld ? TOO_OLD : null;
      replace(sessionId, { ...message, failure, isWaiting: failure === null });
    }
  };
  const again = async (sessionId: string, message: Outgoing): Promise<void> => {
    const sending = { ...message, failure: null, isWaiting: false };
    replace(sessionId, sending);
    await attempt(sessionId, sending);
  };

  return {
    of,
    subscribe: listeners.add,
    send: async (sessionId: string, message: NewMessage): Promise<void> => {
      const outgoing = { ...message, key: newKey(), at: now(), isWaiting: false, failure: null };
      change(sessionId, [...of(sessionId), outgoing]);
      await attempt(sessionId, outgoing);
    },
    retry: async (sessionId: string, key: string): Promise<void> => {
      const failed = of(sessionId).find((each) => each.key === key);
      if (failed === undefined || failed.failure === null) return;
      await again(sessionId, failed);
    },
    /** Sends what the server has not answered, in order. The key makes sure that nothing is sent twice. */
    resend: async (sessionId: string): Promise<void> => {
      for (const message of of(sessionId).filter(({ isWaiting }) => isWaiting))
        await again(sessionId, message);
    },
    remove,
  };
}

/** A message that was in flight when the page was closed waits for the server. */
function parseOutgoing(stored: string | null): readonly Outgoing[] {
  const value = parseJson(stored);
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown): Outgoing[] => {
    if (!isObject(each)) return [];
    const { key, text, delivery, at, failure } = each;
    if (typeof key !== "string" || typeof text !== "string") return [];
    return [
      {
        ...toDraft(each),
        key,
        delivery: delivery === "interrupt" || delivery === "steer" ? delivery : "queue",
        at: typeof at === "number" ? at : 0,
        failure: typeof failure === "string" ? failure : null,
        isWaiting: typeof failure !== "string",
      },
    ];
  });
}

function keyOf(sessionId: string): string {
  return `holdfast.outbox.${sessionId}`;
}
