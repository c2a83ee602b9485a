import type { PageStorage } from "../api/page-storage.ts";

/** The page opens without the server, too; what it shows always comes from the server. */
export async function registerServiceWorker(): Promise<void> {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  await navigator.serviceWorker.register("/sw.js");
}

const KEY = "holdfast.reloaded-at";
const AGAIN_MS = 30_000;

/** Parts of a page from before an update are gone from the server: the new page has its own. */
export function reloadWhenOutdated(storage: PageStorage): void {
  addEventListener("vite:preloadError", () => {
    const before = Number(storage.get(KEY) ?? 0);
    // If it did not help a moment ago, it does not help now: the failure is shown.
    if (Date.now() - before < AGAIN_MS) return;
    void isServed().then((served) => {
      if (!served) return;
      storage.set(KEY, String(Date.now()));
      location.reload();
    });
  });
}

/** While no server answers, a part is not outdated but out of reach, and a new page would be no better. */
async function isServed(): Promise<boolean> {
  try {
    return (await fetch("/healthz", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
