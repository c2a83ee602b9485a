import type { Client, StreamEvent } from "@holdfast/client";
import type { Later } from "../terminal/later.ts";
import type { StopRequest, StopRequests } from "../terminal/stop-requests.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** How long a server may be away; one that restarts is back sooner. */
export const GIVE_UP_MS = 60_000;

/** How following a session came to its end. */
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
  /** Called for each event; anything but null ends it. */
  readonly onEvent: (event: StreamEvent, signal: AbortSignal) => Promise<Result | null>;
  /** Ends it from elsewhere. */
  readonly ended: Promise<Result>;
  readonly onConnection: (state: "open" | "broken") => void;
}

/** Events of a session until one of them, or something else, ends it. Never faster than what is written is read. */
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

/** Says once that a connection is broken, once that it is back, and when that takes too long. */
function watchConnection(
  { giveUpMs, later, onConnection }: FollowEventsOptions<unknown>,
  onLost: () => void,
): { onConnection: (state: "open" | "broken") => void; close: () => void } {
  let callOff: (() => void) | null = null;
  const close = (): void => {
    callOff?.();
    callOff = null;
  };
  return {
    onConnection(state) {
      const isBroken = callOff !== null;
      if ((state === "broken") === isBroken) return;
      close();
      if (state === "broken") callOff = later(giveUpMs, onLost);
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
