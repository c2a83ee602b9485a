import { HoldfastError, type StreamEvent } from "@holdfast/client";
import type { QueryClient } from "@tanstack/react-query";
import { connection, liveClient, waiting } from "./client.ts";
import { createLiveLists } from "./live-lists.ts";
import { shareEvents, type SharedEvents } from "./shared-events.ts";

let shared: SharedEvents | null = null;

/** Keeps all lists up to date until it is stopped. */
export function followAll(queries: QueryClient): () => void {
  const lists = createLiveLists(queries);
  const events = shareEvents({ listen, take: lists.take, connection, wake: waiting.wake });
  shared = events;
  return () => {
    events.stop();
    lists.stop();
    shared = null;
  };
}

/** Ends the pause before the next attempt to reach the server. */
export function tryNow(): void {
  shared?.wake();
}

async function listen(signal: AbortSignal, take: (event: StreamEvent) => void): Promise<void> {
  try {
    for await (const event of liveClient.events({ signal })) take(event);
  } catch (error) {
    if (signal.aborted) return;
    const reason = error instanceof HoldfastError ? error.detail : String(error);
    connection.set({ kind: "refused", reason });
  }
}
