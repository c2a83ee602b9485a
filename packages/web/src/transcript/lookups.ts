import type { Message } from "@holdfast/protocol";
import { type Entry, entryWords } from "./entries.ts";

/** What is known of the loaded messages, with or without rows. */
export interface Lookups {
  message(messageId: string): Message | null;
  /** The id of the message before; null if it is not known. */
  messageBefore(messageId: string): string | null;
  /** The message that a run answers; null if it is not known. */
  messageOfRun(runId: string): Message | null;
  /** The words of a message in its current state. */
  words(messageId: string): string;
  /** Visits all messages in order, with their words. */
  search(visit: (messageId: string, words: string) => void): void;
  /** The previous or next message of a user that was not taken back. */
  stepUser(messageId: string | null, step: -1 | 1): string | null;
}

export function lookupsIn({
  entries,
  find,
  isFolded,
}: {
  readonly entries: () => readonly Entry[];
  readonly find: (messageId: string) => Entry | undefined;
  readonly isFolded: (entry: Entry) => boolean;
}): Lookups {
  return {
    message: (messageId) => find(messageId)?.message ?? null,
    messageBefore(messageId) {
      const entry = find(messageId);
      const at = entry === undefined ? -1 : entries().indexOf(entry);
      return entries()[at - 1]?.message.id ?? null;
    },
    messageOfRun: (runId) =>
      entries().find(({ message }) => message.runId === runId && message.role === "user")
        ?.message ?? null,
    words: (messageId) => entryWords(find(messageId)),
    search(visit) {
      for (const entry of entries()) visit(entry.message.id, entryWords(entry));
    },
    stepUser(messageId, step) {
      const users = entries().filter((entry) => entry.message.role === "user" && !isFolded(entry));
      const seq = messageId === null ? null : (find(messageId)?.message.seq ?? null);
      return nextOf(users, seq, step)?.message.id ?? null;
    },
  };
}

/** The entry before or after a position; the last one for null. */
function nextOf(entries: readonly Entry[], seq: number | null, step: -1 | 1): Entry | undefined {
  return step === 1
    ? entries.find(({ message }) => seq !== null && message.seq > seq)
    : entries.findLast(({ message }) => seq === null || message.seq < seq);
}
