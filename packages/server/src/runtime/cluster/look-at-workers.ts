import type { Store } from "../../storage/store.ts";
import { CHANGED, type SessionWorker } from "../worker/session-worker.ts";

/**
 * Nudges the workers whose sessions have changed since the last look. A node that dies right after a commit sends no hint, so
 * the owner of the session would never learn of the cancel or the answer. Others are left alone: a nudge counts as activity.
 */
export function createWorkerLook(
  store: Pick<Store, "lastSeqs">,
  workers: ReadonlyMap<string, Pick<SessionWorker, "nudge">>,
  onFailure: (error: unknown) => void,
): () => void {
  let seen: ReadonlyMap<string, number> = new Map();
  return () => {
    const ids = [...workers.keys()];
    if (ids.length === 0) return;
    store.lastSeqs(ids).then((lastSeqs) => {
      for (const id of ids) {
        if (!seen.has(id) || seen.get(id) !== lastSeqs.get(id)) workers.get(id)?.nudge(CHANGED);
      }
      seen = lastSeqs;
    }, onFailure);
  };
}
