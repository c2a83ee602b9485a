import { useSyncExternalStore } from "react";
import { client } from "../api/client.ts";
import { pageStorage } from "../api/page-storage.ts";
import { announce } from "../app/announce.tsx";
import { createDrafts } from "./drafts.ts";
import { createOutbox, type Outgoing } from "./outbox.ts";

export const drafts = createDrafts(pageStorage);

export const outbox = createOutbox({
  storage: pageStorage,
  newKey,
  send: async (sessionId, { key, text, provider, model, mode, options, delivery }) => {
    const message = { text, provider, model, mode, options, delivery };
    try {
      await client.sessions.send(sessionId, message, { idempotencyKey: key });
    } catch (error) {
      announce("The message was not sent");
      throw error;
    }
  },
});

export function useOutgoing(sessionId: string): readonly Outgoing[] {
  return useSyncExternalStore(outbox.subscribe, () => outbox.of(sessionId));
}

/** `randomUUID` needs a secure context. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
