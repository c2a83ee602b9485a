import { createClient, HoldfastError } from "@holdfast/client";
import type { Readiness } from "@holdfast/protocol";
import { useEffect, useState } from "react";

const POLL_MS = 5_000;
const ANSWER_MS = 4_000;

export type Connection =
  | { readonly kind: "checking" }
  | { readonly kind: "ready"; readonly readiness: Readiness }
  | { readonly kind: "unready"; readonly readiness: Readiness }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "lost"; readonly since: Date; readonly last: Readiness | null };

/** Asks the server how it is, every five seconds for as long as the page is open. */
export function useConnection(): Connection {
  const [connection, setConnection] = useState<Connection>({ kind: "checking" });
  useEffect(() => {
    const stop = new AbortController();
    void poll(stop.signal, setConnection);
    return () => stop.abort();
  }, []);
  return connection;
}

async function poll(
  stop: AbortSignal,
  update: (next: (before: Connection) => Connection) => void,
): Promise<void> {
  while (!stop.aborted) {
    const answer = await ask(stop);
    if (stop.aborted) return;
    update((before) => answer ?? lostAfter(before));
    await pause(stop);
  }
}

/** Null when no answer came. */
async function ask(stop: AbortSignal): Promise<Connection | null> {
  const client = createClient({ url: location.origin });
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(ANSWER_MS)]);
    const readiness = await client.readiness({ signal });
    return { kind: readiness.status, readiness };
  } catch (error) {
    return error instanceof HoldfastError ? { kind: "refused", reason: error.message } : null;
  }
}

function lostAfter(before: Connection): Connection {
  if (before.kind === "lost") return before;
  return { kind: "lost", since: new Date(), last: readinessOf(before) };
}

/** What was last known of the server. */
export function readinessOf(connection: Connection): Readiness | null {
  switch (connection.kind) {
    case "ready":
    case "unready":
      return connection.readiness;
    case "lost":
      return connection.last;
    case "checking":
    case "refused":
      return null;
    default:
      return connection satisfies never;
  }
}

function pause(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stop.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, POLL_MS);
    stop.addEventListener("abort", end);
  });
}
