import type { StreamEvent } from "./apply-event.ts";
import { textChunks, type CallOptions, type Connection, type Within } from "./connection.ts";
import { ConnectionError, HoldfastError } from "./holdfast-error.ts";
import { pause, RECONNECTING, reconnectDelayMs, type Reconnecting } from "./reconnecting.ts";
import { createSseParser } from "./sse-parser.ts";
import { createProgress, type StreamProgress } from "./stream-progress.ts";

export interface EventStreamOptions extends CallOptions {
  readonly connection: Connection;
  readonly path: string;
  readonly after: string | null;
  /** Positions are numbers that rise, and the deletion of the session is the end. */
  readonly ofOneSession: boolean;
  readonly onConnection?: OnConnection | undefined;
  readonly reconnecting?: Reconnecting | undefined;
}

/** Told whenever a connection brings events again, and whenever one broke or could not be made. */
export type OnConnection = (state: "open" | "broken") => void;

/**
 * Events from a position on, each once, over as many connections as it takes. Takes from the server
 * only what is asked of it. Ends when the signal says so or the session is deleted, and throws when
 * the server says no for good.
 */
export async function* streamEvents(
  options: EventStreamOptions,
): AsyncGenerator<StreamEvent, void, undefined> {
  const { signal, reconnecting = RECONNECTING } = options;
  const progress = createProgress(options);
  let failures = 0;
  let retryMs = 0;
  while (!isAborted(signal)) {
    const before = progress.position();
    const startedAt = reconnecting.now();
    const link = openLink({ signal, reconnecting });
    let askedMs = 0;
    try {
      const onRetry = (ms: number): void => void (retryMs = ms);
      const end = yield* readEvents(options, { link, progress, onRetry });
      if (end === "over") return;
    } catch (error) {
      if (isAborted(signal)) return;
      if (!isTransient(error, link)) throw error;
      askedMs = error instanceof HoldfastError ? (error.retryAfterMs ?? 0) : 0;
    } finally {
      link.close();
    }
    const wentWell =
      progress.position() !== before || reconnecting.now() - startedAt > reconnecting.mostMs;
    failures = wentWell ? 0 : failures + 1;
    options.onConnection?.("broken");
    askedMs = Math.max(askedMs, retryMs);
    const delayMs = reconnectDelayMs({ failures, askedMs, reconnecting });
    await pause(delayMs, { signal, reconnecting });
  }
}

/** What one connection brings, until it breaks or the stream is over. */
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
  const position = progress.position();
  const headers = {
    accept: "text/event-stream",
    ...(position !== null && { "last-event-id": position }),
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
  /** Aborts the link when the server is silent for too long. */
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
      const callOff = later(silentMs, () => controller.abort());
      try {
        return await work;
      } finally {
        callOff();
      }
    },
    close: () => {
      signal?.removeEventListener("abort", stop);
      controller.abort();
    },
  };
}

function requireEventStream({ status, headers }: Response): void {
  const type = headers.get("content-type") ?? "nothing";
  if (/^text\/event-stream\b/iu.test(type)) return;
  throw new HoldfastError("unexpected_reply", {
    status,
    detail: `The server answered with ${type} in place of events.`,
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
