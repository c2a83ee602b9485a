import type { StreamEvent } from "@holdfast/client";
import type { WholeSession } from "@holdfast/protocol";
import { EXIT } from "../exit.ts";
import { followEvents, GIVE_UP_MS, type FollowOptions } from "./follow-events.ts";
import { later as laterByClock, type Terminal } from "../terminal/terminal.ts";
import { versionedLine } from "../terminal/json-output.ts";
import { neutraliseLine } from "../terminal/neutralise.ts";
import { createPaint } from "../terminal/paint.ts";
import { persist, type Persistence } from "../terminal/persist.ts";
import { createScreen } from "../terminal/screen.ts";
import { orStop, STOP_CODES, type StopRequests, untilStopped } from "../terminal/stop-requests.ts";
import { createWatchView, type WatchView } from "./watch-view.ts";
import { commandLine } from "../terminal/invocation.ts";

export interface WatchCommandOptions extends FollowOptions {
  /** Shows the events after this number; without it, only new events. */
  readonly since?: number | undefined;
}

/** Shows the events of a session until it is archived or the command is stopped. Resolves to the exit code. */
export function watchCommand(options: WatchCommandOptions): Promise<number> {
  const { client, sessionId, since, terminal } = options;
  return untilStopped(options, async ({ stops, signal }) => {
    const session = await orStop(client.sessions.get(sessionId, { signal }), stops);
    if (typeof session === "number") return session;
    if (session.status === "archived" && since === undefined) {
      terminal.stderr.stream.write("The session is archived. It has no new events.\n");
      return EXIT.done;
    }
    return watch(options, session, stops, signal);
  });
}

async function watch(
  options: WatchCommandOptions,
  session: WholeSession,
  stops: StopRequests,
  signal: AbortSignal,
): Promise<number> {
  const { client, sessionId, since, terminal } = options;
  const { giveUpMs = GIVE_UP_MS, later = laterByClock } = options;
  const screen = createScreen(terminal, { beside: "stdout" });
  const { dim } = createPaint(terminal.stderr);
  const say = (text: string): void => screen.notice(dim(text));
  const persistence = { giveUpMs, later, signal, onBroken: () => say("Reconnecting…") };
  const { promise: ended, reject: fail } = Promise.withResolvers<"archived">();
  const view =
    options.json === true
      ? jsonView(terminal)
      : createWatchView({ client, session, terminal, screen, stops, persistence, onFailure: fail });
  const isLast = archiveEnd(options, persistence);
  try {
    const follow = await followEvents<"archived">({
      client,
      sessionId,
      stops,
      giveUpMs,
      later,
      ended,
      after: since ?? session.lastEventId,
      stdout: terminal.stdout,
      onConnection: (state) => say(state === "broken" ? "Reconnecting…" : "Connected again."),
      onEvent: async (event) => {
        view.take(event);
        return (await isLast(event)) ? "archived" : null;
      },
    });
    view.end();
    switch (follow.end) {
      case "over":
        say("The session is archived.");
        return EXIT.done;
      case "deleted":
        say("The session was deleted.");
        return EXIT.done;
      case "lost":
        say(
          `The server did not come back. To continue later: ${commandLine(`watch ${neutraliseLine(sessionId)}`)}`,
        );
        return EXIT.failed;
      case "stopped":
        return follow.by === "interrupt" ? EXIT.done : STOP_CODES[follow.by];
      default:
        return follow satisfies never;
    }
  } finally {
    view.end();
    screen.end();
  }
}

/**
 * Tells whether an event is the last of an archived session. Events carry the current session, so an early event may
 * already show it archived while later events are still to come.
 */
function archiveEnd(
  { client, sessionId }: WatchCommandOptions,
  persistence: Persistence,
): (event: StreamEvent) => Promise<boolean> {
  let lastId: number | null = null;
  return async (event) => {
    if (lastId === null && event.type === "session" && event.data.status === "archived") {
      const session = await persist((call) => client.sessions.get(sessionId, call), persistence);
      lastId = Number(session.lastEventId);
    }
    return lastId !== null && Number(event.id) >= lastId;
  };
}

function jsonView({ stdout }: Terminal): WatchView {
  return { take: (event) => void stdout.stream.write(versionedLine(event)), end: () => {} };
}
