import { setImmediate } from "node:timers/promises";
import type { ListPosition, Store } from "../storage/store.ts";

/** Sessions looked at in one go; between two goes everything else has its turn. */
const PAGE = 500;

export interface RowCheck {
  /** Resolves when every session has been looked at, or it was stopped. */
  readonly done: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Looks once at every stored session, in the background: what cannot be read is set aside and counted
 * before anybody happens to list it.
 */
export function startRowCheck(
  store: Store,
  { onFailure }: { onFailure: (error: unknown) => void },
): RowCheck {
  const stopping = new AbortController();
  const done = checkAll(store, stopping.signal).catch(onFailure);
  return {
    done,
    stop: () => {
      stopping.abort();
      return done;
    },
  };
}

async function checkAll(store: Store, stopping: AbortSignal): Promise<void> {
  let after: ListPosition | null = null;
  while (!stopping.aborted) {
    const page = await store.listSessions({ limit: PAGE, ...(after !== null && { after }) });
    if (page.next === null) return;
    after = page.next;
    await setImmediate();
  }
}
