import { useEffect, useSyncExternalStore } from "react";
import { client, connection, waiting } from "../api/client.ts";
import { openPageStorage, pageStorage } from "../api/page-storage.ts";
import { delayAfter } from "../api/retrying-fetch.ts";
import { useStore } from "../api/store.ts";
import { announce } from "../app/announce.tsx";
import { toParts } from "./attachments/attachment.ts";
import { createDrafts } from "./drafts.ts";
import { createOutbox, type Outgoing } from "./outbox.ts";

export const drafts = createDrafts(
  pageStorage,
  openPageStorage(() => sessionStorage),
);

export const outbox = createOutbox({
  storage: pageStorage,
  newKey,
  now: Date.now,
  send: async (sessionId, { key, text, attachments, provider, model, mode, options, delivery }) => {
    const words = attachments.length === 0 ? { text } : { content: toParts(text, attachments) };
    const message = { ...words, provider, model, mode, options, delivery };
    try {
      await client.sessions.send(sessionId, message, { idempotencyKey: key });
    } catch (error) {
      announce("The message was not sent");
      throw error;
    }
  },
});

/** The messages on their way. Those without an answer are sent again once the server is back. */
export function useOutgoing(sessionId: string): readonly Outgoing[] {
  const outgoing = useSyncExternalStore(outbox.subscribe, () => outbox.of(sessionId));
  const isLive = useStore(connection).kind === "live";
  const isUnanswered = outgoing.some(({ failure }) => failure === null);
  useEffect(() => {
    if (!isLive || !isUnanswered) return undefined;
    const stop = new AbortController();
    const sendAll = async (): Promise<void> => {
      // The stream may live while requests fail, such as behind a proxy.
      for (let failures = 1; !stop.signal.aborted; failures += 1) {
        await outbox.resend(sessionId);
        await waiting.pause(delayAfter(failures, waiting.random), stop.signal);
      }
    };
    void sendAll();
    return () => stop.abort();
  }, [sessionId, isLive, isUnanswered]);
  return outgoing;
}

/** `randomUUID` needs a secure context. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
