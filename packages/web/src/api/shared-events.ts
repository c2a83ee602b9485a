import type { StreamEvent } from "@holdfast/client";
import type { ConnectionState, ConnectionStore } from "./connection.ts";

const NAME = "holdfast.events";

type ChannelMessage =
  | { readonly kind: "event"; readonly event: StreamEvent }
  | { readonly kind: "state"; readonly state: ConnectionState }
  /** A new page asks for the current state. */
  | { readonly kind: "hello" }
  | { readonly kind: "wake" };

export type SharedEvents = ReturnType<typeof shareEvents>;

/**
 * Shares one stream among all open pages of this browser, because browsers allow only six connections per server.
 * The page that holds the lock reads the stream and forwards the events. When it closes, another page takes over.
 */
export function shareEvents({
  listen,
  take,
  connection,
  wake,
}: {
  /** Reads the stream until it is aborted or refused. */
  readonly listen: (signal: AbortSignal, take: (event: StreamEvent) => void) => Promise<void>;
  readonly take: (event: StreamEvent) => void;
  readonly connection: ConnectionStore;
  readonly wake: () => void;
}) {
  const stopping = new AbortController();
  const { signal } = stopping;
  // Locks need a secure context. Without them each page has its own stream.
  if (!("locks" in navigator)) {
    void listen(signal, take);
    return { stop: () => stopping.abort(), wake };
  }

  const channel = new BroadcastChannel(NAME);
  const post = (message: ChannelMessage): void => channel.postMessage(message);
  let isListening = false;
  channel.addEventListener("message", ({ data }: MessageEvent<ChannelMessage>) => {
    switch (data.kind) {
      case "event":
        return take(data.event);
      case "state":
        return isListening ? undefined : connection.set(data.state);
      case "hello":
        return isListening ? post({ kind: "state", state: connection.current() }) : undefined;
      case "wake":
        return wake();
      default:
        return data satisfies never;
    }
  });
  post({ kind: "hello" });

  const lead = async (): Promise<void> => {
    if (signal.aborted) return;
    isListening = true;
    const unsubscribe = connection.subscribe(() =>
      post({ kind: "state", state: connection.current() }),
    );
    try {
      await listen(signal, (event) => {
        take(event);
        post({ kind: "event", event });
      });
    } finally {
      isListening = false;
      unsubscribe();
    }
  };
  // The request rejects when it is aborted.
  navigator.locks.request(NAME, { signal }, lead).catch(() => {});

  return {
    stop: (): void => {
      stopping.abort();
      channel.close();
    },
    /** Ends the pause before the next attempt, in whichever page waits. */
    wake: (): void => {
      wake();
      post({ kind: "wake" });
    },
  };
}
