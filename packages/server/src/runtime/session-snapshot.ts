import { StorageFault } from "../storage/fault.ts";
import type { SessionRecord, Store } from "../storage/store.ts";
import type { Log } from "./log.ts";

/** The session as it was at one moment; its `version` is what `OnSession.version` is compared with. */
export type SessionSnapshot = SessionRecord;

/** The session as it is now; null when it does not exist. Throws a `row_unreadable` fault when it cannot be read. */
export async function snapshotOf(store: Store, sessionId: string): Promise<SessionSnapshot | null> {
  const read = await store.readSession(sessionId);
  if (read.found === "unreadable") throw unreadable(sessionId, read.reason);
  return read.found === "session" ? read.record : null;
}

/** The same for whoever watches many: null also when it cannot be read. */
export async function readableSnapshot(
  store: Store,
  sessionId: string,
): Promise<SessionSnapshot | null> {
  const read = await store.readSession(sessionId);
  return read.found === "session" ? read.record : null;
}

export function unreadable(sessionId: string, reason: string): StorageFault {
  return new StorageFault("row_unreadable", `Session ${sessionId} cannot be read: ${reason}.`);
}

export function isUnreadable(error: unknown): error is StorageFault {
  return error instanceof StorageFault && error.code === "row_unreadable";
}

/** Goes on past a session that cannot be read: one of them must not keep the others from their turn. */
export async function unlessUnreadable<Result>(
  { sessionId, log }: { readonly sessionId: string; readonly log: Log },
  act: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await act();
  } catch (err) {
    if (!isUnreadable(err)) throw err;
    log.warn({ err, sessionId }, "a session that cannot be read was left as it is");
    return null;
  }
}
