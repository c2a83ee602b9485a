import { setTimeout as pause } from "node:timers/promises";
import { defined } from "../../domain/defined.ts";
import type { ListPosition, Store } from "../../storage/store.ts";

/** Sessions per read. */
const PAGE = 50;
/** The pause after a read, as a multiple of its duration, so that other work is not slowed down. */
const PAUSE_FACTOR = 9;
/** Delay of the check, because the server is busy at its start. */
const AFTER_MS = 2_000;

export interface RowCheck {
  /** Resolves after all sessions were read, or after a stop. */
  readonly done: Promise<void>;
  stop(): Promise<void>;
}

/** Reads every session once, in the background, so that unreadable ones are quarantined and counted early. */
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
    .then(() => checkRows(store, { signal, pauseFactor: PAUSE_FACTOR }))
    .catch(onFailure);
  return {
    done,
    stop: () => {
      stopping.abort();
      return done;
    },
  };
}

/** Reads every session, with pauses for other work. */
export async function checkRows(
  store: Store,
  {
    signal,
    pauseFactor = 0,
  }: { readonly signal?: AbortSignal; readonly pauseFactor?: number } = {},
): Promise<void> {
  let after: ListPosition | null = null;
  while (signal?.aborted !== true) {
    const begun = performance.now();
    const page = await store.listSessions({ limit: PAGE, ...(after !== null && { after }) });
    if (page.next === null) return;
    after = page.next;
    const pauseMs = (performance.now() - begun) * pauseFactor;
    if (pauseMs > 0)
      await pause(pauseMs, undefined, defined({ signal, ref: false })).catch(() => {});
  }
}
