import { parseFeedEvent } from "@holdfast/protocol";
import type { StreamEvent } from "./apply-event.ts";
import { HoldfastError } from "./holdfast-error.ts";
import type { ServerSentEvent } from "./sse-parser.ts";

export interface StreamProgress {
  /** Where to go on from after a break. */
  position(): string | null;
  /** A new connection: what the last one left unfinished comes again. */
  begin(): void;
  /** The events that may be handed on now. */
  take(sent: ServerSentEvent): readonly StreamEvent[];
}

/** More than any change of a session brings at once. */
const MAX_HELD = 1_000;

/**
 * Events without an id belong to the next one that has one: a break between them would bring them
 * again, so they are handed on together.
 */
export function createProgress({
  after,
  ofOneSession,
}: {
  after: string | null;
  ofOneSession: boolean;
}): StreamProgress {
  let position = after;
  let held: StreamEvent[] = [];

  const isNews = (id: string): boolean =>
    ofOneSession && position !== null ? Number(id) > Number(position) : id !== position;

  const isWhole = ({ id }: ServerSentEvent, event: StreamEvent | null): boolean =>
    id !== null ||
    event?.type === "reset" ||
    (ofOneSession && event?.type === "deleted") ||
    held.length >= MAX_HELD;

  return {
    position: () => position,
    begin: () => {
      held = [];
    },
    take(sent) {
      const event = toStreamEvent(sent);
      if (event !== null) held.push(event);
      if (!isWhole(sent, event)) return [];
      const events = held;
      held = [];
      if (event?.type === "reset") position = sent.id;
      else if (sent.id !== null) {
        if (!isNews(sent.id)) return [];
        position = sent.id;
      }
      return events;
    },
  };
}

function toStreamEvent({ id, name, data }: ServerSentEvent): StreamEvent | null {
  try {
    const event = parseFeedEvent(name, JSON.parse(data));
    return event === null ? null : { id, ...event };
  } catch (cause) {
    throw new HoldfastError("unexpected_reply", {
      status: 200,
      detail: `The server sent an event "${name}" that is not one.`,
      cause,
    });
  }
}
