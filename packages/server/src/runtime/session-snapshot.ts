import type { Store } from "../storage/store.ts";
import type { SessionSnapshot } from "./runtime.ts";

/** The session as it is now; null when it does not exist or cannot be read. */
export async function snapshotOf(store: Store, sessionId: string): Promise<SessionSnapshot | null> {
  const read = await store.readSession(sessionId);
  return read.found === "session" ? read.record : null;
}
