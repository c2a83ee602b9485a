import type { StreamEvent } from "@holdfast/client";
import type { ConnectionState, ConnectionStore } from "./connection.ts";

const NAME = "holdfast.events";

type Said =
  | { readonly kind: "event"; readonly event: StreamEvent }
  | { readonly kind: "state"; readonly state: ConnectionState }
  /** A page has come and wants to know how things stand. */
  | { readonly kind: "hello" }
  | { readonly kind: "wake" };

export interface SharedEvents {
  stop(): void;
  /** Ends the pause before the next attempt, in whichever page it is. */
  wake(): void;
}

/**
 * One stream for all open pages of this browser, which allows only six connections to a server: the
 * page that holds the lock listens and tells the others. When it is closed, the next one takes over.
 */
export function shareEvents({
  listen,
  take,
  connection,
  wake,
}: {
  /** Listens until it is aborted, or refused. */
  readonly listen: (signal: AbortSignal, take: (event: StreamEvent) => void) => Promise<void>;
  readonly take: (event: StreamEvent) => void;
  readonly connection: ConnectionStore;
  readonly wake: () => void;
}): SharedEvents {
  const stopping = new AbortController();
  const { signal } = stopping;
  // Without a secure connection there are no locks: then each page has a stream of its own.
  if (!("locks" in navigator)) {
    void listen(signal, take);
    return { stop: () => stopping.abort(), wake };
  }

  const channel = new BroadcastChannel(NAME);
  const say = (said: Said): void => channel.postMessage(said);
  let isListening = false;
  channel.addEventListener("message", ({ data }: MessageEvent<Said>) => {
    switch (data.kind) {
      case "event":
        return take(data.event);
      case "state":
        return isListening ? undefined : connection.set(data.state);
      case "hello":
        return isListening ? say({ kind: "state", state: connection.current() }) : undefined;
      case "wake":
        return wake();
      default:
        return data satisfies never;
    }
  });
  say({ kind: "hello" });

  const lead = async (): Promise<void> => {
    if (signal.aborted) return;
    isListening = true;
    const unsubscribe = connection.subscribe(() =>
      say({ kind: "state", state: connection.current() }),
    );
    try {
      await listen(signal, (event) => {
        take(event);
        say({ kind: "event", event });
      });
    } finally {
      isListening = false;
      unsubscribe();
    }
  };
  // Waiting for the lock ends with an error when the page no longer wants it.
  navigator.locks.request(NAME, { signal }, lead).catch(() => {});

  return {
    stop: () => {
      stopping.abort();
      channel.close();
    },
    wake: () => {
      wake();
      say({ kind: "wake" });
    },
  };
}
