import type { SessionEvent } from "../../../domain/kernel/event.ts";
import { evolveAll } from "../../../domain/kernel/evolve.ts";
import type { Session } from "../../../domain/session.ts";
import type { Store } from "../../store.ts";

/** The session replayed from its log, and the session from its row. */
export async function bothTellings(
  store: Store,
  sessionId: string,
): Promise<{ readonly log: Session | null; readonly row: Session | null }> {
  const loaded = await store.load(sessionId);
  if (loaded.found === "unreadable")
    throw new Error(`${sessionId} is unreadable: ${loaded.reason}`);
  const entries = await store.readEvents({ sessionId, after: 0, limit: 100_000 });
  const events = entries.flatMap((entry): SessionEvent[] =>
    entry.kind === "event" ? [entry.event] : [],
  );
  return {
    log: evolveAll(null, events),
    row: loaded.found === "session" ? loaded.stored.session : null,
  };
}
