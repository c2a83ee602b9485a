import type { Store } from "../../storage/store.ts";
import { pagesOf } from "../pages.ts";
import { sleep } from "../sleep.ts";

/** Sessions per read. */
const PAGE = 50;
/** The pause after a read, as a multiple of its duration, so that other work is not slowed down. */
const PAUSE_FACTOR = 9;
/** Delay of the check, because the server is busy at its start. */
const AFTER_MS = 2_000;

/** Reads every session once, in the background, so that unreadable ones are quarantined and counted early. */
export function startRowCheck(
  store: Store,
  options: { readonly onFailure: (error: unknown) => void; readonly afterMs?: number },
) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const done = sleep(options.afterMs ?? AFTER_MS, signal)
    .then(() => checkRows(store, PAUSE_FACTOR, signal))
    .catch(options.onFailure);
  return {
    /** Resolves after all sessions were read, or after a stop. */
    done,
    stop: (): Promise<void> => {
      stopping.abort();
      return done;
    },
  };
}

/** Reads every session, with pauses for other work. */
export async function checkRows(
  store: Store,
  pauseFactor = 0,
  signal?: AbortSignal,
): Promise<void> {
  if (signal?.aborted === true) return;
  let begun = performance.now();
  const pages = pagesOf((after) => store.listSessions({ limit: PAGE, ...after }), signal);
  while ((await pages.next()).done !== true) {
    if (pauseFactor > 0) await sleep((performance.now() - begun) * pauseFactor, signal);
    begun = performance.now();
  }
}
