import type { FeedEvent } from "@holdfast/protocol";
import type { StreamEvent } from "./apply-event.ts";
import { HoldfastError } from "./holdfast-error.ts";
import type { ServerSentEvent } from "./sse-parser.ts";

export interface StreamProgress {
  /** The position to resume from. */
  position(): string | null;
  /** Starts a new connection, which repeats an incomplete group of events. */
  begin(): void;
  /** Returns the events that are complete with this one. */
  take(message: ServerSentEvent): readonly StreamEvent[];
}

/** More than one change of a session ever produces. */
const MAX_HELD = 1_000;

/**
 * Events without an id belong to the next event that has one. They are released together, because a
 * reconnect between them would repeat them.
 */
export function createProgress({
  after,
  ofOneSession,
  parseEvent,
}: {
  after: string | null;
  ofOneSession: boolean;
  parseEvent: (name: string, data: unknown) => FeedEvent | null;
}): StreamProgress {
  let position = after;
  let held: StreamEvent[] = [];

  const toStreamEvent = ({ id, name, data }: ServerSentEvent): StreamEvent | null => {
    try {
      const event = parseEvent(name, JSON.parse(data));
      return event === null ? null : { id, ...event };
    } catch (cause) {
      const detail = `The server sent an invalid event "${name}".`;
      throw new HoldfastError("unexpected_reply", { status: 200, detail, cause });
    }
  };

  const isNew = (id: string): boolean =>
    ofOneSession && position !== null ? Number(id) > Number(position) : id !== position;

  const isComplete = ({ id }: ServerSentEvent, event: StreamEvent | null): boolean =>
    id !== null ||
    event?.type === "reset" ||
    (ofOneSession && event?.type === "deleted") ||
    held.length >= MAX_HELD;

  return {
    position: () => position,
    begin: () => {
      held = [];
    },
    take(message) {
      const event = toStreamEvent(message);
      if (event !== null) held.push(event);
      if (!isComplete(message, event)) return [];
      const events = held;
      held = [];
      if (event?.type === "reset") position = message.id;
      else if (message.id !== null) {
        if (!isNew(message.id)) return [];
        position = message.id;
      }
      return events;
    },
  };
}
