import { setTimeout as pause } from "node:timers/promises";
import type { ListPosition, Store } from "../../storage/store.ts";

/** Sessions looked at in one go. */
const PAGE = 50;
/** The pause between two, by what the last took: nobody is to notice. */
const PAUSE_TIMES = 9;
/** A server that has just started has better things to do. */
const AFTER_MS = 2_000;

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
  {
    onFailure,
    afterMs = AFTER_MS,
  }: { readonly onFailure: (error: unknown) => void; readonly afterMs?: number },
): RowCheck {
  const stopping = new AbortController();
  const { signal } = stopping;
  const done = pause(afterMs, undefined, { signal, ref: false })
    .catch(() => {})
    .then(() => checkRows(store, { signal, pauseTimes: PAUSE_TIMES }))
    .catch(onFailure);
  return {
    done,
    stop: () => {
      stopping.abort();
      return done;
    },
  };
}

/** Looks at every session now; with pauses, where there is other work. */
export async function checkRows(
  store: Store,
  { signal, pauseTimes = 0 }: { readonly signal?: AbortSignal; readonly pauseTimes?: number } = {},
): Promise<void> {
  let after: ListPosition | null = null;
  while (signal?.aborted !== true) {
    const begun = performance.now();
    const page = await store.listSessions({ limit: PAGE, ...(after !== null && { after }) });
    if (page.next === null) return;
    after = page.next;
    const pauseMs = (performance.now() - begun) * pauseTimes;
    if (pauseMs > 0)
      await pause(pauseMs, undefined, {
        ...(signal !== undefined && { signal }),
        ref: false,
      }).catch(() => {});
  }
}
