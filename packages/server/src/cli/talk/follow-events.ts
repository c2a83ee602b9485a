import type { Client, StreamEvent } from "@holdfast/client";
import type { Later, Terminal } from "../terminal/terminal.ts";
import type { StopRequest, StopRequests } from "../terminal/stop-requests.ts";

/** How long to wait for a server that cannot be reached. A restart takes less. */
export const GIVE_UP_MS = 60_000;

/** The options of a command that follows a session. */
export interface FollowOptions {
  readonly client: Client;
  readonly sessionId: string;
  readonly json?: boolean | undefined;
  readonly terminal: Terminal;
  /** How long to wait for a server that cannot be reached. */
  readonly giveUpMs?: number | undefined;
  readonly later?: Later | undefined;
}

/** Why following a session ended. */
export type FollowEnd<Result> =
  | { readonly end: "over"; readonly result: Result }
  | { readonly end: "deleted" }
  | { readonly end: "stopped"; readonly by: StopRequest }
  /** The server did not come back. */
  | { readonly end: "lost" };

export interface FollowEventsOptions<Result> {
  readonly client: Pick<Client, "sessions">;
  readonly sessionId: string;
  readonly after: string | number;
  readonly stops: StopRequests;
  readonly stdout: Terminal["stdout"];
  readonly giveUpMs: number;
  readonly later: Later;
  /** Called for each event; a result other than null ends the following. */
  readonly onEvent: (event: StreamEvent, signal: AbortSignal) => Promise<Result | null>;
  /** Ends the following from outside. */
  readonly ended: Promise<Result>;
  readonly onConnection: (state: "open" | "broken") => void;
}

/** Follows the events of a session until one of them, a stop request or a lost server ends it. Waits for a slow stdout. */
export async function followEvents<Result>(
  options: FollowEventsOptions<Result>,
): Promise<FollowEnd<Result>> {
  const { client, sessionId, after, stops, stdout, onEvent, ended } = options;
  const over = new AbortController();
  const lost = Promise.withResolvers<FollowEnd<Result>>();
  const connection = watchConnection(options, () => lost.resolve({ end: "lost" }));

  const read = async (): Promise<FollowEnd<Result>> => {
    const { signal } = over;
    const { onConnection } = connection;
    for await (const event of client.sessions.events(sessionId, { after, signal, onConnection })) {
      const result = await onEvent(event, signal);
      if (result !== null) return { end: "over", result };
      await drained(stdout);
    }
    return { end: "deleted" };
  };

  const reading = read();
  try {
    return await Promise.race([
      reading,
      lost.promise,
      ended.then((result) => ({ end: "over", result }) as const),
      stops.next().then((by) => ({ end: "stopped", by }) as const),
    ]);
  } finally {
    connection.close();
    over.abort();
    await reading.catch(() => {});
  }
}

/** Reports each break and each recovery once, and a break that lasts too long. */
function watchConnection(
  { giveUpMs, later, onConnection }: FollowEventsOptions<unknown>,
  onLost: () => void,
): { onConnection: (state: "open" | "broken") => void; close: () => void } {
  let cancel: (() => void) | null = null;
  const close = (): void => {
    cancel?.();
    cancel = null;
  };
  return {
    onConnection(state) {
      const isBroken = cancel !== null;
      if ((state === "broken") === isBroken) return;
      close();
      if (state === "broken") cancel = later(giveUpMs, onLost);
      onConnection(state);
    },
    close,
  };
}

async function drained({ stream }: Terminal["stdout"]): Promise<void> {
  if (!("writableNeedDrain" in stream) || stream.writableNeedDrain !== true) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      for (const name of ["drain", "close", "error"]) stream.off(name, done);
      resolve();
    };
    for (const name of ["drain", "close", "error"]) stream.on(name, done);
  });
}
