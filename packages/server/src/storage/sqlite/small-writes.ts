import { errorText } from "../../domain/error-text.ts";
import type { SessionEvent } from "../../domain/kernel/event.ts";
import type { WriteName } from "../writes/writes.ts";
import { openLogSync } from "./log-sync.ts";
import { openWriteBatches, type WriteBatches } from "./write-batches.ts";
import type {
  SqliteWriter,
  WriteBatch,
  WriteReply,
  WriteRequest,
  WriterOptions,
} from "./write-protocol.ts";

/** Small enough that blocking this thread goes unnoticed. */
const MAX_CHARACTERS = 16 * 1024;
const MAX_REQUESTS = 4;

/**
 * Events that start something. A small write is readable a moment before it is synced. That is harmless for a start; a
 * reader of an end may rely on its consequences, so ends go to the thread.
 */
const STARTS: ReadonlySet<string> = new Set<SessionEvent["type"]>([
  "session.created",
  "session.resumed",
  "session.touched",
  "message.queued",
  "run.started",
]);

/** Writes of a row or two. A server begins with them, and an idle one has no others. */
const ALWAYS_SMALL: ReadonlySet<string> = new Set<WriteName>([
  "claimSession",
  "dropOtherLeases",
  "markBrowserUsed",
  "markTokenUsed",
  "releaseSession",
  "renewLease",
]);

export interface SmallWrites {
  takes(batch: WriteBatch): boolean;
  /** Null when another process is writing. The thread then runs the batch, since it may wait. */
  run(batch: WriteBatch): Promise<readonly WriteReply[] | null>;
  readonly read: SqliteWriter["read"];
  /** Whether another process has written since the last call. */
  hasOutsideWrites(): boolean;
  /** Whether space should be reserved, and is not. */
  wantsReserve(): boolean;
  close(options: { readonly emptiesLog: boolean }): Promise<void>;
}

/**
 * Runs small writes on this thread while the writing thread is idle, because waking that thread takes longer. Never
 * waits for other processes. The disk sync of durable writes runs in the background.
 */
export function openSmallWrites(options: WriterOptions): SmallWrites {
  let batches: WriteBatches | null = null;
  const log = openLogSync(options.file);

  function opened(): WriteBatches {
    batches ??= openWriteBatches({ ...options, busyTimeoutMs: 0, checkpoints: false });
    return batches;
  }

  return {
    takes: ({ requests }) =>
      requests.length <= MAX_REQUESTS &&
      requests.every(
        (request) =>
          ALWAYS_SMALL.has(request.name) || isShortText(request) || isSmallChange(request),
      ),
    run: async ({ requests, durable }) => {
      const replies = await opened().run({ requests, durable: false });
      if (replies.every((reply) => !reply.ok && reply.code === "database_busy")) return null;
      if (!durable || !replies.some(({ ok }) => ok)) return replies;
      const failed = await log.sync().then(() => null, notOnDisk);
      return failed === null ? replies : replies.map((reply) => (reply.ok ? failed : reply));
    },
    read: (text, parameters) => batches?.read(text, parameters) ?? null,
    hasOutsideWrites: () => {
      try {
        return opened().hasOutsideWrites();
      } catch {
        // The next write says what is wrong with the file, and the next check looks again.
        return false;
      }
    },
    wantsReserve: () => batches?.wantsReserve() ?? false,
    close: ({ emptiesLog }) => {
      if (emptiesLog) batches?.emptyLog();
      batches?.close();
      batches = null;
      return log.close();
    },
  };
}

/** The write is stored and may have been read, but a power failure could lose it: the caller gets a fault. */
function notOnDisk(cause: unknown): WriteReply {
  const stack = cause instanceof Error ? (cause.stack ?? "") : "";
  const message = `The disk failed: ${errorText(cause)}`;
  return { ok: false, code: "database_io", message, stack };
}

function isSmallChange({ name, args }: WriteRequest): boolean {
  if (name !== "commitChange" || typeof args !== "object" || !("events" in args)) return false;
  const { events, contents, messages } = args;
  if (!events.every(({ type }) => STARTS.has(type))) return false;
  return JSON.stringify([events, contents, messages]).length <= MAX_CHARACTERS;
}

function isShortText({ name, args }: WriteRequest): boolean {
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
