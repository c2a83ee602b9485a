import { useEffect, useState } from "react";
import { parseReadiness, type Readiness } from "./readiness.ts";

const POLL_MS = 5_000;
const ANSWER_MS = 4_000;

export type Connection =
  | { readonly kind: "checking" }
  | { readonly kind: "ready"; readonly readiness: Readiness }
  | { readonly kind: "unready"; readonly readiness: Readiness }
  | { readonly kind: "refused"; readonly httpStatus: number }
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
  try {
    const response = await fetch("/readyz", {
      headers: { accept: "application/json" },
      cache: "no-store",
      signal: AbortSignal.any([stop, AbortSignal.timeout(ANSWER_MS)]),
    });
    const readiness = parseReadiness(await bodyOf(response));
    if (readiness === null) return { kind: "refused", httpStatus: response.status };
    return { kind: readiness.ready ? "ready" : "unready", readiness };
  } catch {
    return null;
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return null;
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
