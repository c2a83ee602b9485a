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
  const missed = new Set<string>();
  for (let isLost = true; isLost;) {
    isLost = false;
    for await (const event of sessions.events(id, { after: session.lastEventId, signal })) {
      const next = apply(session, event);
      if (next === null) return;
      if (next === "lost") {
        // A message that is not there after that either cannot be read, and the session goes on without it.
        if (event.type !== "delta" || missed.has(event.data.messageId)) continue;
        missed.add(event.data.messageId);
        isLost = true;
        session = await read();
        if (session === null) return;
      } else session = next;
      yield { session, event };
      if (isLost) break;
    }
  }
}

function apply(session: WholeSession, event: StreamEvent): WholeSession | "lost" | null {
  try {
    return applyEvent(session, event);
  } catch (error) {
    if (error instanceof MissingMessageError) return "lost";
    throw error;
  }
}
