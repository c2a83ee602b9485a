import type { Session } from "@holdfast/protocol";
import { lastSeen } from "../../api/last-seen.ts";
import { pageStorage } from "../../api/page-storage.ts";

const KEY = "holdfast.first-visit";

/** What happened before the first visit of this browser is not news. */
function firstVisit(): string {
  const stored = pageStorage.get(KEY);
  if (stored !== null) return stored;
  const now = new Date().toISOString();
  pageStorage.set(KEY, now);
  return now;
}

const since = firstVisit();

/** Whether a run has ended since this browser last showed the session. */
export function isUnread({ id, lastTurn }: Pick<Session, "id" | "lastTurn">): boolean {
  return lastTurn.outcome !== null && lastTurn.at > (lastSeen(id) ?? since);
}
