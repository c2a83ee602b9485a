import type { StreamEvent } from "./apply-event.ts";
import { textChunks, type CallOptions, type Connection, type Within } from "./connection.ts";
import { defined } from "./helpers.ts";
import { ConnectionError, HoldfastError } from "./holdfast-error.ts";
import { pause, RECONNECTING, reconnectDelayMs, type Reconnecting } from "./reconnecting.ts";
import { createSseParser } from "./sse-parser.ts";
import { createProgress, type StreamProgress } from "./stream-progress.ts";
import type { ServerReply } from "./transport.ts";

export interface EventStreamOptions extends CallOptions {
  readonly connection: Connection;
  readonly path: string;
  readonly after: string | null;
  /** Positions are increasing numbers, and the stream ends when the session is deleted. */
  readonly ofOneSession: boolean;
  readonly onConnection?: OnConnection | undefined;
  readonly reconnecting?: Reconnecting | undefined;
}

/** Called when a connection is open, and when it broke or could not be opened. */
export type OnConnection = (state: "open" | "broken") => void;

/**
 * Yields the events after a position, each once, and reconnects as often as necessary. Reads from the
 * server only as fast as the caller consumes. Ends when the signal aborts or the session is deleted.
 * Throws when the server refuses permanently.
 */
export async function* streamEvents(
  options: EventStreamOptions,
): AsyncGenerator<StreamEvent, void, undefined> {
  const { connection, signal, reconnecting = RECONNECTING } = options;
  const progress = createProgress({ ...options, parseEvent: connection.parseEvent });
  let failures = 0;
  /** The last `retry:` of the stream. */
  let retryMs = 0;
  while (!isAborted(signal)) {
    const before = progress.position();
    const startedAt = reconnecting.now();
    const link = openLink({ signal, reconnecting });
    let retryAfterMs = 0;
    try {
      const onRetry = (ms: number): void => void (retryMs = ms);
      const end = yield* readEvents(options, { link, progress, onRetry });
      if (end === "over") return;
    } catch (error) {
      if (isAborted(signal)) return;
      if (!isTransient(error, link)) throw error;
      retryAfterMs = error instanceof HoldfastError ? (error.retryAfterMs ?? 0) : 0;
    } finally {
      link.close();
    }
    // An aborted connection may also end without an error.
    if (isAborted(signal)) return;
    const wentWell =
      progress.position() !== before || reconnecting.now() - startedAt > reconnecting.maxMs;
    failures = wentWell ? 0 : failures + 1;
    options.onConnection?.("broken");
    retryAfterMs = Math.max(retryAfterMs, retryMs);
    const delayMs = reconnectDelayMs({ failures, retryAfterMs, reconnecting });
    await pause(delayMs, { signal, reconnecting });
  }
}

/** Yields the events of one connection, until it breaks or the stream is over. */
async function* readEvents(
  { connection, path, ofOneSession, onConnection }: EventStreamOptions,
  {
    link,
    progress,
    onRetry,
  }: { link: Link; progress: StreamProgress; onRetry: (ms: number) => void },
): AsyncGenerator<StreamEvent, "over" | "cut", undefined> {
  progress.begin();
  const { signal, within } = link;
  const headers = {
    accept: "text/event-stream",
    ...defined({ "last-event-id": progress.position() ?? undefined }),
  };
  const response = await within(connection.open({ path, headers, signal }));
  if (response.status === 204) return "over";
  requireEventStream(response);
  onConnection?.("open");
  const parser = createSseParser({ onRetry });
  for await (const text of textChunks(response, { signal, within })) {
    for (const event of parser.push(text).flatMap(progress.take)) {
      yield event;
      if (ofOneSession && event.type === "deleted") return "over";
    }
  }
  return "cut";
}

interface Link {
  readonly signal: AbortSignal;
  /** Aborts the connection when the server is silent for too long. */
  readonly within: Within;
  close(): void;
}

function openLink({
  signal,
  reconnecting: { silentMs, later },
}: {
  signal: AbortSignal | undefined;
  reconnecting: Reconnecting;
}): Link {
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal?.reason);
  signal?.addEventListener("abort", stop);
  return {
    signal: controller.signal,
    within: async (work) => {
      const cancel = later(silentMs, () => controller.abort());
      try {
        return await work;
      } finally {
        cancel();
      }
    },
    close: () => {
      signal?.removeEventListener("abort", stop);
      controller.abort();
    },
  };
}

function requireEventStream({ status, headers }: ServerReply): void {
  const type = headers.get("content-type") ?? "nothing";
  if (/^text\/event-stream\b/iu.test(type)) return;
  throw new HoldfastError("unexpected_reply", {
    status,
    detail: `The server replied with ${type} instead of events.`,
  });
}

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** Whether the same request may succeed later. */
function isTransient(error: unknown, { signal }: Link): boolean {
  if (error instanceof HoldfastError)
    return error.status >= 500 || TRANSIENT_STATUSES.has(error.status);
  return error instanceof ConnectionError || signal.aborted;
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
