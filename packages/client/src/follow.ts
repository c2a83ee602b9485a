import type { WholeSession } from "@holdfast/protocol";
import { applyEvent, type StreamEvent } from "./apply-event.ts";
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
  let session = await sessions.get(id, { signal }).catch((error: unknown) => {
    if (signal?.aborted === true) return null;
    throw error;
  });
  if (session === null) return;
  yield { session, event: null };
  for await (const event of sessions.events(id, { after: session.lastEventId, signal })) {
    const next = applyEvent(session, event);
    if (next === null) return;
    session = next;
    yield { session, event };
  }
}
