import { StorageFault } from "../storage/fault.ts";
import type { SessionRecord, Store, StoredSession } from "../storage/store.ts";
import type { Log } from "./log.ts";
import { noSuchSession, type Refused, type Reply } from "./reply.ts";

/** A session at one moment. `OnSession.version` is compared with its `version`. */
export type SessionSnapshot = SessionRecord;

export type SessionReply = Reply<{ readonly session: SessionSnapshot }>;

/** Null if the session does not exist. Throws a `row_unreadable` fault if it is unreadable. */
export async function snapshotOf(store: Store, sessionId: string): Promise<SessionSnapshot | null> {
  const read = await store.readSession(sessionId);
  if (read.found === "unreadable") throw unreadable(sessionId, read.reason);
  return read.found === "session" ? read.record : null;
}

/** Replies with a value that is read from the session, if the session exists. */
export async function withSession<Value extends object>(
  store: Store,
  sessionId: string,
  read: (session: SessionSnapshot) => Value | Refused | Promise<Value | Refused>,
): Promise<Reply<Value>> {
  const session = await snapshotOf(store, sessionId);
  if (session === null) return noSuchSession();
  const value = await read(session);
  return "refusal" in value ? value : { ok: true, ...value };
}

/** The session as this node knows it, else as it is stored. For work on it, whose commit is refused if it has changed. */
export async function knownSnapshot(
  { store, known }: { readonly store: Store; readonly known: (id: string) => StoredSession | null },
  sessionId: string,
): Promise<SessionSnapshot | null> {
  const stored = known(sessionId);
  return stored === null ? snapshotOf(store, sessionId) : store.recordOf(stored);
}

/** The whole session; null if it does not exist or is unreadable. */
export async function loadReadable(store: Store, sessionId: string): Promise<StoredSession | null> {
  const loaded = await store.load(sessionId);
  return loaded.found === "session" ? loaded.stored : null;
}

/** Null also if the session is unreadable. */
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

/** Skips an unreadable session, so that it does not block the others. */
export async function unlessUnreadable<Result>(
  { sessionId, log }: { readonly sessionId: string; readonly log: Log },
  act: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await act();
  } catch (err) {
    if (!isUnreadable(err)) throw err;
    log.warn({ err, sessionId }, "an unreadable session was skipped");
    return null;
  }
}
