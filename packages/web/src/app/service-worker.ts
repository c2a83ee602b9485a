import type { PageStorage } from "../api/page-storage.ts";

/** The service worker lets the page open without the server; data always comes from the server. */
export async function registerServiceWorker(): Promise<void> {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  await navigator.serviceWorker.register("/sw.js");
}

const KEY = "holdfast.reloaded-at";
const AGAIN_MS = 30_000;

/** After an update, the server no longer has the chunks of the old page: a reload fetches the new page. */
export function reloadWhenOutdated(storage: PageStorage): void {
  addEventListener("vite:preloadError", () => {
    const before = Number(storage.get(KEY) ?? 0);
    // A reload that did not help a moment ago will not help now: the failure is shown.
    if (Date.now() - before < AGAIN_MS) return;
    void isServed().then((served) => {
      if (!served) return;
      storage.set(KEY, String(Date.now()));
      location.reload();
    });
  });
}

/** While the server is unreachable, a missing chunk is not outdated and a reload does not help. */
async function isServed(): Promise<boolean> {
  try {
    return (await fetch("/healthz", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
