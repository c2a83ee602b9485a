import type { WholeSession } from "@holdfast/protocol";
import { applyEvent, MissingMessageError, type StreamEvent } from "./apply-event.ts";
import type { CallOptions } from "./connection.ts";

/** The session after an event. The event is null for the first state. */
export interface Followed {
  readonly session: WholeSession;
  readonly event: StreamEvent | null;
}

interface SessionSource {
  get(id: string, options: CallOptions): Promise<WholeSession>;
  events(id: string, options: CallOptions & { readonly after: string }): AsyncIterable<StreamEvent>;
}

export async function* follow(
  sessions: SessionSource,
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
  /** The session is read again once for each missing message: one that is still missing cannot be read. */
  const reloadedFor = new Set<string>();
  let isBehind = true;
  while (isBehind) {
    isBehind = false;
    for await (const event of sessions.events(id, { after: session.lastEventId, signal })) {
      const next = applyOrError(session, event);
      if (next instanceof MissingMessageError) {
        if (reloadedFor.has(next.messageId)) continue;
        reloadedFor.add(next.messageId);
        isBehind = true;
      }
      session = next instanceof MissingMessageError ? await read() : next;
      if (session === null) return;
      yield { session, event };
      if (isBehind) break;
    }
  }
}

function applyOrError(
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
