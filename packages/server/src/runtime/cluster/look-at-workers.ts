import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "../../storage/store.ts";
import { CHANGED } from "../worker/look-round.ts";
import type { SessionWorker } from "../worker/session-worker.ts";

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

/** Waits until no worker is left or the time is over. */
export async function untilDrained(
  workers: ReadonlyMap<string, unknown>,
  withinMs: number,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline && workers.size > 0) await pause(20);
}
