import { stateOf, type Session } from "../../domain/session.ts";
import type { Store, StoredSession } from "../../storage/store.ts";
import { newSession, updatedSession } from "./imported-session.ts";
import { keptIn } from "./kept-state.ts";
import type { ParsedState } from "./parse-state.ts";
import { digestOf, toStateFile } from "./state-file.ts";
import { toStateTime } from "./state-time.ts";

export interface StateImport {
  readonly clock: () => number;
  readonly newId: () => string;
}

/** `kept`: why the stored session was not changed. */
export type StateImported = "imported" | "updated" | "unchanged" | { readonly kept: string };

/** Write conflicts in a row before giving up. */
const MAX_CONFLICTS = 10;

/** Stores the session of a file, or updates it, depending on the stored session. */
export async function importState(
  store: Store,
  state: ParsedState,
  /** The stored session of that name, if any. */
  sessionId: string | null,
  { clock, newId }: StateImport,
): Promise<StateImported> {
  let id = sessionId;
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
    const before = id === null ? null : await load(store, id);
    if (before !== null && "kept" in before) return before;
    const verdict = before === null ? "imported" : judge(state, before.session);
    if (typeof verdict === "object" || verdict === "unchanged") return verdict;
    const session =
      before === null ? newSession(state, newId) : updatedSession(state, before.session);
    const committed = await store.commit({
      before,
      events: [{ type: "session.imported", at: clock(), session }],
    });
    if (committed.ok) return verdict;
    id = await store.findSession(state.name);
  }
  return { kept: "The session is changing too fast here." };
}

async function load(
  store: Store,
  id: string,
): Promise<StoredSession | { readonly kept: string } | null> {
  const loaded = await store.load(id);
  switch (loaded.found) {
    case "session":
      return loaded.stored;
    case "nothing":
      return null;
    case "unreadable":
      return { kept: `The session here cannot be read: ${loaded.reason}.` };
    default:
      return loaded satisfies never;
  }
}

/** Compares the file with its last import and with the stored session. */
function judge(state: ParsedState, session: Session): StateImported {
  const kept = keptIn(session.metadata);
  const before = kept?.digest ?? null;
  const isNewer = state.session.updatedAt > session.updatedAt;
  const lastUpdated = kept?.lastUpdated ?? null;
  const isSameTime =
    lastUpdated === null ? !isNewer : state.contents["last_updated"] === lastUpdated;
  if (state.digest === before && isSameTime) return "unchanged";
  const here = digestOf(toStateFile(session));
  if (state.digest === here && !isNewer) return "unchanged";
  const inUse = useOf(session);
  if (inUse !== null) return { kept: inUse };
  if (here === before || here === state.digest) return "updated";
  const changedAt = `The session was changed here at ${toStateTime(session.updatedAt)}`;
  // Only the time of the file is new: it must not undo changes of the stored session.
  if (state.digest === before)
    return { kept: `${changedAt}; in the file only last_updated has changed.` };
  return isNewer ? "updated" : { kept: `${changedAt}, after the file.` };
}

/** Why the session cannot be changed; null when it can. */
function useOf(session: Session): string | null {
  if (session.standing.status === "archived") return "The session is archived here.";
  const isAtRest = stateOf(session) === "idle" && session.queue.length === 0;
  return isAtRest ? null : "The session is at work here, or waits for something.";
}
