import type { Waiting } from "./retrying-fetch.ts";

export interface PageWaiting extends Waiting {
  /** Ends every pause. */
  wake(): void;
}

/** Pauses that end early when the network is back, somebody looks at the page, or asks for it. */
export function createWaiting(page: Window): PageWaiting {
  const wakers = new Set<() => void>();
  const wake = (): void => {
    for (const waker of wakers) waker();
  };
  page.addEventListener("online", wake);
  page.document.addEventListener("visibilitychange", () => {
    if (page.document.visibilityState === "visible") wake();
  });
  return {
    now: Date.now,
    random: Math.random,
    wake,
    pause: (ms, signal) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          wakers.delete(end);
          signal?.removeEventListener("abort", end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        wakers.add(end);
        signal?.addEventListener("abort", end);
      }),
  };
}
