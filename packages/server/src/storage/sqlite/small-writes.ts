import type { SessionEvent } from "../../domain/kernel/event.ts";
import type { WriteName } from "../writes/writes.ts";
import { openLogSync } from "./log-sync.ts";
import { openWriteBatches, type WriteBatches } from "./write-batches.ts";
import type { WriteBatch, WriteReply, WriterOptions } from "./writer.ts";

/** Little enough that nobody notices the time in which this thread does nothing else. */
const MAX_CHARACTERS = 16 * 1024;
const MAX_REQUESTS = 4;

/**
 * What somebody waits for. It can be read a moment before it is synced: of what begins nobody minds, but whoever sees that something
 * is over may count on what follows from it.
 */
const BEGINNINGS: ReadonlySet<string> = new Set<SessionEvent["type"]>([
  "session.created",
  "session.resumed",
  "session.touched",
  "message.queued",
  "run.started",
]);

/** A row or two, whatever is asked; a server begins with them, before its thread has. */
const ALWAYS_SMALL: ReadonlySet<string> = new Set<WriteName>([
  "claimSession",
  "dropOtherLeases",
  "markTokenUsed",
  "releaseSession",
  "renewLease",
]);

export interface SmallWrites {
  takes(batch: WriteBatch): boolean;
  /** Null when another process is writing: then it is for the thread, which may wait for that. */
  run(batch: WriteBatch): Promise<readonly WriteReply[] | null>;
  readonly read: WriteBatches["read"];
  close(): Promise<void>;
}

/**
 * Stores a few words on this thread, while the writing thread has nothing to do: to wake that up and be woken up by it takes longer.
 * Nothing here waits for others; what has to be on the disk is synced elsewhere while this thread goes on.
 */
export function openSmallWrites(options: WriterOptions): SmallWrites {
  let batches: WriteBatches | null = null;
  const log = openLogSync(options.file);
  return {
    takes: ({ requests }) =>
      requests.length <= MAX_REQUESTS &&
      requests.every(
        (request) =>
          ALWAYS_SMALL.has(request.name) || isFewWords(request) || isSmallChange(request),
      ),
    run: async ({ requests, durable }) => {
      batches ??= openWriteBatches({ ...options, busyTimeoutMs: 0, foldsItself: false });
      const replies = await batches.run({ requests, durable: false });
      if (replies.every((reply) => !reply.ok && reply.code === "database_busy")) return null;
      if (!durable || !replies.some(({ ok }) => ok)) return replies;
      const failed = await log.sync().then(() => null, notOnDisk);
      return failed === null ? replies : replies.map((reply) => (reply.ok ? failed : reply));
    },
    read: (text, parameters) => batches?.read(text, parameters) ?? null,
    close: () => {
      batches?.close();
      batches = null;
      return log.close();
    },
  };
}

/** Stored it is, and shown it may have been; but the power must not fail, so nobody is told that it is safe. */
function notOnDisk(cause: unknown): WriteReply {
  const { message, stack = "" } = cause instanceof Error ? cause : new Error(String(cause));
  return { ok: false, code: "database_io", message: `The disk failed: ${message}`, stack };
}

function isSmallChange({ name, args }: WriteBatch["requests"][number]): boolean {
  if (name !== "commitChange" || typeof args !== "object" || !("events" in args)) return false;
  const { events, contents, messages } = args;
  if (!events.every(({ type }) => BEGINNINGS.has(type))) return false;
  return JSON.stringify([events, contents, messages]).length <= MAX_CHARACTERS;
}

function isFewWords({ name, args }: WriteBatch["requests"][number]): boolean {
  if (name !== "appendOutput" || typeof args !== "object" || !("items" in args)) return false;
  let characters = 0;
  for (const item of args.items) {
    if (item.put !== "text" && item.put !== "message") return false;
    const content: unknown = item.put === "text" ? item.text : item.message.content["text"];
    if (typeof content !== "string") return false;
    characters += content.length;
  }
  return characters <= MAX_CHARACTERS;
}
