import type { WholeSession } from "@holdfast/protocol";
import { applyEvent, MissingMessageError, type StreamEvent } from "./apply-event.ts";
import type { CallOptions } from "./connection.ts";
import type { Sessions } from "./sessions.ts";

/** The session, and the event that made it so; null for how it was first. */
export interface Followed {
  readonly session: WholeSession;
  readonly event: StreamEvent | null;
}

export async function* follow(
  sessions: Pick<Sessions, "get" | "events">,
  id: string,
  { signal }: CallOptions = {},
): AsyncGenerator<Followed, void, undefined> {
  const read = (): Promise<WholeSession | null> =>
    sessions.get(id, { signal }).catch((error: unknown) => {
      if (signal?.aborted === true) return null;
      throw error;
    });
  let session = await read();
  if (session === null) return;
  yield { session, event: null };
  /** Messages for which the session was read again: once each, since a message that is still missing cannot be read. */
  const readFor = new Set<string>();
  let isBehind = true;
  while (isBehind) {
    isBehind = false;
    for await (const event of sessions.events(id, { after: session.lastEventId, signal })) {
      const next = applyOrMiss(session, event);
      if (next instanceof MissingMessageError) {
        if (readFor.has(next.messageId)) continue;
        readFor.add(next.messageId);
        isBehind = true;
      }
      session = next instanceof MissingMessageError ? await read() : next;
      if (session === null) return;
      yield { session, event };
      if (isBehind) break;
    }
  }
}

function applyOrMiss(
  session: WholeSession,
  event: StreamEvent,
): WholeSession | MissingMessageError | null {
  try {
    return applyEvent(session, event);
  } catch (error) {
    if (error instanceof MissingMessageError) return error;
    throw error;
  }
}
